import { setTimeout } from 'node:timers/promises'
import type { Write } from '../storage/commit.ts'
import type { MemoryPage } from '../storage/memory-query.ts'
import { type Core, embedMemories } from './core.ts'
import { commitUnlessChanged } from './write.ts'

export interface ReembedOptions {
  /** Only counts missing ones. */
  dryRun?: boolean
  /** Works in small steps and yields to others. */
  gently?: boolean
  onProgress?: (done: number, total: number) => void
}

const BATCH = 64
const GENTLE_BATCH = 8
const GENTLE_PAUSE_MS = 50

/** Gives every memory a vector of the current model. After an interruption it resumes where it was. */
export async function reembed(
  core: Core,
  { dryRun = false, gently = false, onProgress }: ReembedOptions = {},
): Promise<{ embedded: number }> {
  let after: string | null = null
  let embedded = 0
  let total: number | null = null
  do {
    const position: string | null = after
    const page: MemoryPage = await core.attempt(() =>
      core.storage.memories({
        scopes: null,
        where: { embedded: false },
        order: 'oldest',
        limit: dryRun ? 1 : gently ? GENTLE_BATCH : BATCH,
        after: position,
        count: total === null && !gently,
        vectors: false,
      }),
    )
    total ??= page.totalCount ?? 0
    if (dryRun) return { embedded: total }
    if (position === null) onProgress?.(0, total)
    const memories = page.items.map(({ memory }) => memory)
    const embeddings = await embedMemories(core, memories)
    const writes = memories.map(
      ({ id, version }, i): Write => ({ kind: 'embed', id, version, embedding: embeddings[i]!.embedding }),
    )
    // A memory changed meanwhile got its vector with the change.
    await commitUnlessChanged(core, writes, 'reembed', core.now())
    embedded += memories.length
    onProgress?.(embedded, Math.max(embedded, total))
    after = page.next
    if (gently && after !== null) await setTimeout(GENTLE_PAUSE_MS)
  } while (after !== null)
  return { embedded }
}
