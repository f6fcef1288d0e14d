import { type Decay, visibleUntil } from '../lifecycle/decay.ts'
import { MemoryError } from '../model/errors.ts'
import type { Memory } from '../model/memory.ts'
import { fingerprint } from '../model/once-keys.ts'
import type { ChangedRow, Commit, CommitResult, Embedding, NewRow, Write } from '../storage/commit.ts'
import { memoryTokens } from '../text/tokens.ts'
import type { Core } from './core.ts'
import { namesIn, refuseSecrets } from './refuse-secrets.ts'

export type Applied = Extract<CommitResult, { applied: true }>

export function newRow(memory: Memory, embedding: Embedding | null): NewRow {
  return { memory, visibleUntil: visibleUntil(memory), tokens: memoryTokens(memory), embedding }
}

/** Without an embedding the stored one stays. */
export function changedRow(memory: Memory, embedding?: Embedding): ChangedRow {
  const row = { memory, visibleUntil: visibleUntil(memory), tokens: memoryTokens(memory) }
  return embedding === undefined ? row : { ...row, embedding }
}

/**
 * One commit, retried after temporary failures: the key makes that harmless. `of` is the request of the call
 * with this key. It is stored with the key: reusing the key for another request is a CONFLICT, not someone else's answer.
 */
export async function commitOnce(
  core: Core,
  { of, ...commit }: Omit<Commit, 'key' | 'at'> & { key?: string; at?: Date; of?: unknown },
): Promise<CommitResult> {
  const at = commit.at ?? core.now()
  const asked = commit.key === undefined || of === undefined ? null : fingerprint(of)
  const whole: Commit = {
    ...commit,
    writes: commit.writes.map((write) => asSettled(write, core.settings.decay)),
    key: commit.key ?? core.nextId(at),
    at: at.toISOString(),
    ...(asked === null ? {} : { note: JSON.stringify({ of: asked, note: commit.note ?? null }) }),
  }
  await refuseSecrets(commit.writes.flatMap(namesIn))
  const result = await core.write((signal) => core.storage.commit(whole, signal))
  if (asked === null || !result.applied || result.note === null) return result
  const kept = JSON.parse(result.note) as { of?: string; note?: string | null }
  // Older stores' notes do not contain the request.
  if (kept.of === undefined) return result
  if (kept.of !== asked) {
    throw new MemoryError('CONFLICT', 'This key was used for something else earlier.', { details: { field: 'key' } })
  }
  return { ...result, note: kept.note ?? null }
}

/** With the end of its visibility under the current settings. */
function asSettled(write: Write, decay: Decay): Write {
  if (!('row' in write) || Object.keys(decay).length === 0) return write
  return { ...write, row: { ...write.row, visibleUntil: visibleUntil(write.row.memory, decay) } } as Write
}

/** The same, but a conflicting write is an error. */
export async function commitAll(core: Core, commit: Parameters<typeof commitOnce>[1]): Promise<Applied> {
  const result = await commitOnce(core, commit)
  if (result.applied) return result
  const [{ write, reason }] = result.failures as [{ write: number; reason: string }]
  throw writeError(commit.writes[write]!, reason)
}

export function writeError(write: Write, reason: string): MemoryError {
  const id = 'row' in write ? write.row.memory.id : 'id' in write ? write.id : null
  if (reason === 'missing') return notFound(id!)
  const message = {
    exists: 'A memory with this id already exists.',
    version: 'The memory was changed in the meantime.',
    once: 'This was stored before.',
  }[reason as 'exists' | 'version' | 'once']
  return new MemoryError('CONFLICT', message, { details: { id, reason } })
}

export function notFound(id: string): MemoryError {
  return new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
}

/**
 * Skips conflicting writes (another process was faster), and applies the rest, in parts if there are
 * many. Returns the applied writes, and how many of them changed something. For maintenance, whose next round sees what was skipped.
 */
export async function commitUnlessChanged(
  core: Core,
  writes: readonly Write[],
  by: string,
  at: Date,
): Promise<{ applied: Write[]; changed: number }> {
  const applied: Write[] = []
  let changed = 0
  for (const part of partition(core, writes)) {
    let left = part
    while (left.length > 0) {
      const result = await commitOnce(core, { writes: left, by, at })
      if (result.applied) {
        applied.push(...left)
        changed += result.changed
        break
      }
      const failed = new Set(result.failures.map(({ write }) => write))
      left = left.filter((_, i) => !failed.has(i))
    }
  }
  return { applied, changed }
}

/** Splits writes into parts that the store accepts at once. A single write may exceed `maxBytes`: the store decides. */
export function partition({ storage }: Pick<Core, 'storage'>, writes: readonly Write[]): Write[][] {
  const { maxWrites, maxBytes } = storage.capabilities
  const parts: Write[][] = []
  let bytes = 0
  for (const write of writes) {
    const size = Number.isFinite(maxBytes) ? sizeOf(write) : 0
    const part = parts.at(-1)
    if (part === undefined || part.length >= maxWrites || bytes + size > maxBytes) {
      parts.push([write])
      bytes = size
    } else {
      part.push(write)
      bytes += size
    }
  }
  return parts
}

/** Bytes as JSON; a vector counts four bytes per number. */
function sizeOf(write: Write): number {
  const vectors = { bytes: 0 }
  const json = JSON.stringify(write, (_, value: unknown) => {
    if (!(value instanceof Float32Array)) return value
    vectors.bytes += value.byteLength
    return null
  })
  return Buffer.byteLength(json) + vectors.bytes
}
