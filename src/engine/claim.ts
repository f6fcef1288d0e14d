import { invalidInput, MemoryError } from '../model/errors.ts'
import {
  accessibleLayers,
  type Identifiers,
  type Layer,
  precedence,
  readableScopes,
  requireIdentifier,
  type ScopeSelector,
  selects,
} from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { Caller, Core } from './core.ts'

export interface GivenClaim {
  identifiers?: Identifiers | undefined
  everything?: true | undefined
}

/**
 * The caller of a request: identifiers, or null for the whole store, which must be requested explicitly. A known caller
 * can only repeat its own identifiers.
 */
export function resolveClaim({ identifiers: known, everything }: Caller, given: GivenClaim): Identifiers | null {
  if (known !== null) {
    if (given.everything) throw unauthorized('everything', known)
    for (const [name, value] of Object.entries(given.identifiers ?? {})) {
      if (known[name as keyof Identifiers] !== value) throw unauthorized(name, known)
    }
    return known
  }
  if (given.everything && given.identifiers) {
    throw invalidInput('everything', 'Invalid everything: give identifiers or everything, not both.')
  }
  if (given.everything || (everything && given.identifiers === undefined)) return null
  return requireSome(given.identifiers ?? {})
}

/** Empty identifiers open nothing. */
export function requireSome(identifiers: Identifiers, operation?: string): Identifiers {
  if (Object.keys(identifiers).length === 0) throw missing(operation)
  return identifiers
}

/** The owner of a new memory: like {@link resolveClaim}, but nothing is written for everybody. */
export function resolveOwner(caller: Caller, identifiers: Identifiers | undefined): Identifiers {
  return resolveClaim(caller, { identifiers: identifiers ?? {} }) ?? {}
}

function unauthorized(name: string, known: Identifiers): MemoryError {
  const own = Object.entries(known).map(([key, value]) => `${key} ${value}`)
  return new MemoryError('UNAUTHORIZED', `This caller is ${own.join(', ')} and cannot ask for another ${name}.`, {
    details: { identifier: name },
  })
}

function missing(operation?: string): MemoryError {
  const error = new MemoryError(
    'MISSING_IDENTIFIER',
    "Give identifiers, such as { projectId: 'shop' }, or everything: true to read the whole store.",
    { details: { identifier: 'any' } },
  )
  return operation === undefined ? error : error.during(operation)
}

/** The layers to read: the requested ones, which must be addressable, or all accessible ones. */
function chooseLayers(asked: readonly Layer[] | undefined, identifiers: Identifiers): Layer[] {
  const open = accessibleLayers(identifiers)
  if (!asked) return open
  for (const layer of asked) if (!open.includes(layer)) requireIdentifier(layer, identifiers)
  return [...new Set(asked)].sort((a, b) => precedence(a) - precedence(b))
}

export interface Readable {
  layers: Layer[]
  scopes: ScopeSelector[]
}

/** The layers that these identifiers open, including through the directory. */
export async function readable(
  core: Core,
  identifiers: Identifiers,
  layers: readonly Layer[] | undefined,
): Promise<Readable> {
  const known = await core.complete(identifiers)
  const chosen = chooseLayers(layers, known)
  return { layers: chosen, scopes: chosen.flatMap((layer) => readableScopes(layer, known) ?? []) }
}

/** Whether a reader may see this memory; for the whole store (null) every memory. */
export async function canRead(core: Core, identifiers: Identifiers | null, memory: Memory): Promise<boolean> {
  if (identifiers === null) return true
  const selector = readableScopes(memory.layer, await core.complete(identifiers))
  return selector !== null && selects(selector, memory)
}

/** A test for many memories, with one directory lookup. */
export async function readerOf(
  core: Core,
  identifiers: Identifiers | null,
): Promise<(memory: Pick<Memory, 'layer' | 'identifiers'>) => boolean> {
  if (identifiers === null) return () => true
  const known = await core.complete(identifiers)
  return (memory) => {
    const selector = readableScopes(memory.layer, known)
    return selector !== null && selects(selector, memory)
  }
}
