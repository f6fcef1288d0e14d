import type { Command } from 'commander'
import type { MemoryError } from '../model/errors.ts'
import { flagOf } from './identifiers.ts'

/** Fields whose flags have other names. */
const FLAGS: Record<string, string> = {
  expiresAt: '--expires',
  occurredAt: '--happened',
  tags: '--tag',
  version: '--if-version',
  session: '--from-session',
  everything: '--all',
  communicationStyle: '--style',
  traits: '--trait',
}

/** The message with the flag instead of the library's field name: people typed the flag. */
export function nameFlag({ message, details }: MemoryError, command: Command | null): string {
  if (details.layer !== undefined && flagOf(details.identifier) !== null) {
    return `The ${String(details.layer)} layer needs ${flagOf(details.identifier)}.`
  }
  const { field } = details
  const flag = typeof field === 'string' ? toFlag(field, command) : null
  return flag === null ? message : message.replace(/^Invalid (?!--)[^:]+: /, `Invalid ${flag}: `)
}

function toFlag(field: string, command: Command | null): string | null {
  if (field.startsWith('identifiers.')) return flagOf(field.slice('identifiers.'.length))
  const name = field.replace(/[.[].*$/, '')
  const own = command?.options.find((option) => option.attributeName() === name)
  if (own?.long) return own.long
  const other = FLAGS[name]
  return other !== undefined && command?.options.some(({ long }) => long === other) ? other : null
}
