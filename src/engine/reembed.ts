import type { Memory } from '../model/memory.ts'
import { type Core, embedTexts } from './core.ts'

export interface ReembedOptions {
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}

const BATCH = 64

/** Gives every memory a vector of the current model. What is done stays done: interrupted, it goes on where it was. */
export async function reembed(
  core: Core,
  missing: number,
  { onProgress, signal }: ReembedOptions,
): Promise<{ embedded: number }> {
  const { storage, provider, attempt } = core
  let after: string | null = null
  let embedded = 0
  onProgress?.(0, missing)
  for (;;) {
    signal?.throwIfAborted()
    const start: string | null = after
    const memories: Memory[] = await attempt(() => storage.withoutVector(provider.name, start, BATCH))
    if (memories.length === 0) return { embedded }
    const embeddings = await embedTexts(
      core,
      memories.map((memory) => memory.content),
    )
    const entries = memories.map(({ id, version }, i) => ({ id, version, embedding: embeddings[i]! }))
    await attempt(() => storage.setVectors(entries))
    after = memories.at(-1)!.id
    embedded += memories.length
    onProgress?.(embedded, Math.max(embedded, missing))
  }
}
