import { isDeepStrictEqual } from 'node:util'
import type { Identifiers, Layer } from '../model/layer.ts'
import { type Readable, readable } from './claim.ts'
import type { Core } from './core.ts'

const MOST_KNOWN = 1000
const known = new WeakMap<Core, Map<string, Readable>>()

/**
 * Reads the scopes that these identifiers open. Looking them up in the directory is a round trip of its own on a server, so if the
 * result is known from last time, the read starts in parallel, and is repeated if the directory has changed.
 */
export async function readWithCachedScopes<T>(
  core: Core,
  identifiers: Identifiers,
  layers: readonly Layer[] | undefined,
  read: (opened: Readable) => Promise<T>,
): Promise<T> {
  const before = known.get(core) ?? new Map<string, Readable>()
  known.set(core, before)
  const key = JSON.stringify([identifiers, layers])
  const guess = before.get(key)
  const [opened, begun] = await Promise.allSettled([readable(core, identifiers, layers), guess && read(guess)])
  if (opened.status === 'rejected') throw opened.reason
  if (guess && isDeepStrictEqual(opened.value, guess)) {
    if (begun.status === 'rejected') throw begun.reason
    return begun.value as T
  }
  if (before.size >= MOST_KNOWN) before.clear()
  before.set(key, opened.value)
  return read(opened.value)
}
