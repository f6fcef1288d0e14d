import { FLAGGED_CONFIDENCE, guardCandidate } from '../guard/guard.ts'
import { MemoryError } from '../model/errors.ts'
import type { JsonObject, Memory } from '../model/memory.ts'

type Guardable = Pick<Memory, 'content' | 'service' | 'tags' | 'metadata' | 'anchor'>

/**
 * What is added by hand passes the guard like what is captured: secrets are redacted, invisible characters removed. Text that
 * reads as a command to its reader is marked, and trusted less unless the caller said how much to trust it.
 */
export function guardNew<Input extends Guardable & { confidence: number }>(
  parsed: Input,
  given: { confidence?: number | undefined },
  place = '',
): Input {
  const { guarded, flags } = guardFields(parsed, place)
  if (flags.length === 0) return { ...parsed, ...guarded }
  const confidence = given.confidence === undefined ? FLAGGED_CONFIDENCE : parsed.confidence
  return { ...parsed, ...guarded, metadata: { ...guarded.metadata, flags }, confidence }
}

/** The same for a change; what it does not name stays out of it. */
export function guardPatch<Patch extends { [Key in keyof Guardable]?: Guardable[Key] | undefined }>(
  patch: Patch,
): Patch {
  const named = (['content', 'service', 'tags', 'metadata', 'anchor'] as const).filter(
    (key) => patch[key] !== undefined,
  )
  if (named.length === 0) return patch
  const filler: Guardable = { content: '.', service: null, tags: [], metadata: {}, anchor: null }
  const { guarded, flags } = guardFields({ ...filler, ...pick(patch, named) } as Guardable, '')
  const metadata: JsonObject = { ...guarded.metadata, ...(flags.length > 0 ? { flags } : {}) }
  const changed = pick({ ...guarded, metadata }, flags.length > 0 ? [...named, 'metadata'] : named)
  return { ...patch, ...changed }
}

function guardFields(
  { content, service, tags, metadata, anchor }: Guardable,
  place: string,
): { guarded: Guardable; flags: string[] } {
  const rest = { category: 'learning', source: 'manual', importance: 0 } as const
  const result = guardCandidate(
    { content, service, tags, metadata, anchor, ...rest },
    { maxLength: Number.POSITIVE_INFINITY },
  )
  if ('refused' in result) {
    throw new MemoryError('INVALID_INPUT', `Invalid ${place}content: ${result.refused}.`, {
      details: { field: `${place}content` },
    })
  }
  const { candidate: clean, flags } = result
  const guarded = pick(clean, ['content', 'service', 'tags', 'metadata', 'anchor'])
  return { guarded, flags }
}

function pick<T extends object, Key extends keyof T>(value: T, keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, Key>
}
