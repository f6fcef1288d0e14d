import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { ERROR_CODES, type ErrorCode, MemoryError } from '../model/errors.ts'
import { commandLine, quote, typedWith } from './command-line.ts'
import { flagOf } from './identifiers.ts'
import { INTERRUPTED, wasInterrupted } from './interruption.ts'
import { nameFlag } from './name-flag.ts'
import { fitTo, note, paint, writeError, writeJsonError } from './output.ts'
import { shell } from './shell.ts'
import { explainUsage, pathOf } from './usage.ts'

export async function reportFailure(
  error: unknown,
  { json, command = null }: { json: boolean; command?: Command | null },
): Promise<number> {
  if (wasInterrupted()) return INTERRUPTED
  // The command needs a subcommand. Its help was already printed.
  if (error instanceof CommanderError && error.code === 'commander.help') return ERROR_CODES.INVALID_INPUT.exit
  const failure = await withoutSecrets(toFailure(error, command))
  if (json) {
    const { code, message, details, retryable } = failure
    writeJsonError(`${JSON.stringify({ error: { code, message, details, retryable } })}\n`)
  } else {
    const { stderr } = shell()
    const text = fitTo(stderr, `nokosu: ${failure.code} ${failure.message}`)
    const lead = `nokosu: ${failure.code}`
    writeError(`${paint('red', lead, stderr)}${text.slice(lead.length)}\n`)
    if (failure.hint) note(failure.hint)
  }
  return failure.exit
}

interface Failure {
  code: ErrorCode | 'UNEXPECTED'
  message: string
  details: Record<string, unknown>
  retryable: boolean
  exit: number
  hint: string | null
}

/** A URL, a command line or another program's output may contain a secret, so it goes through the guard. */
async function withoutSecrets(failure: Failure): Promise<Failure> {
  const { redactSecrets } = await import('../guard/redact-secrets.ts')
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactSecrets(value).text
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null || value instanceof Date) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item)]))
  }
  const { message, details, hint } = failure
  return { ...failure, ...(clean({ message, details, hint }) as Pick<Failure, 'message' | 'details' | 'hint'>) }
}

function toFailure(error: unknown, command: Command | null): Failure {
  if (error instanceof CommanderError) {
    const { message, hint } = explainUsage(error, command)
    return { code: 'INVALID_INPUT', message, details: {}, retryable: false, exit: ERROR_CODES.INVALID_INPUT.exit, hint }
  }
  if (MemoryError.is(error)) {
    const { code, details, retryable } = error
    const message = nameFlag(error, command)
    return { code, message, details, retryable, exit: ERROR_CODES[code].exit, hint: hintFor(error, command) }
  }
  const { code, path } = error as NodeJS.ErrnoException
  const problem = FILE_PROBLEMS[code ?? '']
  if (problem) {
    const message = path === undefined ? `${problem.say}.` : `${problem.say}: ${path}.`
    const { exit, retryable } = ERROR_CODES[problem.code]
    return {
      code: problem.code,
      message,
      details: path === undefined ? {} : { path },
      retryable,
      exit,
      hint: lookFor(path),
    }
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const hint = 'This is a bug in Nokosu. Please report it with the lines above.'
  return { code: 'UNEXPECTED', message, details: {}, retryable: false, exit: 1, hint }
}

const FILE_PROBLEMS: Record<string, { code: ErrorCode; say: string }> = {
  ENOENT: { code: 'INVALID_INPUT', say: 'There is no such file or folder' },
  ENOTDIR: { code: 'INVALID_INPUT', say: 'A part of the path is not a folder' },
  EISDIR: { code: 'INVALID_INPUT', say: 'It is a folder, not a file' },
  EACCES: { code: 'INVALID_INPUT', say: 'Permission denied' },
  ENOSPC: { code: 'PROVIDER_ERROR', say: 'The disk is full: not everything was written' },
}

function lookFor(path: string | undefined): string | null {
  if (path === undefined) return null
  const folder = dirname(path)
  return existsSync(folder) ? `What is there:\n  ls ${quote(folder)}` : `There is no folder ${folder}.`
}

function hintFor({ code, details }: MemoryError, command: Command | null): string | null {
  if (typeof details.hint === 'string') return details.hint
  const help = command === null ? 'nokosu --help' : `nokosu ${pathOf(command)} --help`
  switch (code) {
    case 'MISSING_IDENTIFIER':
      return `Name it:\n  ${typedWith(flagOf(details.identifier) ?? '--project', 'ID')}`
    case 'INVALID_INPUT':
    case 'INVALID_LAYER':
      return `'${help}' shows how to use it.`
    case 'CONTENT_TOO_LONG':
      return 'A memory is one observation: shorten it, or add several.'
    case 'QUERY_TOO_LONG':
      return 'Search with the few words that matter.'
    case 'MEMORY_NOT_FOUND':
      return "'nokosu list' shows ids. Only what your flags may read is found; --all finds it anywhere in the store."
    case 'CONFLICT':
      return typeof details.id === 'string' ? `Look at it, then try again:\n  ${commandLine('get', details.id)}` : null
    case 'CONFIGURATION_ERROR':
      return details.file === undefined ? null : "'nokosu doctor' shows which settings are in use."
    case 'PROVIDER_ERROR':
    case 'EMBEDDING_FAILED':
    case 'MISSING_DEPENDENCY':
      return details.program === undefined ? "'nokosu doctor' looks for the cause." : 'Install it, then run this again.'
    default:
      return null
  }
}
