import { wrongSetting } from '../model/errors.ts'
import type { EmbeddingProvider } from './provider.ts'

/** The `embedding` block of the configuration. */
export type EmbeddingConfig =
  | { kind: 'local'; modelPath?: string }
  | { kind: 'http'; url: string; model: string; dimensions: number; apiKey?: string }
  | { kind: 'hashing'; dimensions?: number }

/** Creates the configured provider, importing only that one. The model itself is loaded by the first embed(). */
export async function openEmbedding(config: EmbeddingConfig): Promise<EmbeddingProvider> {
  switch (config.kind) {
    case 'local':
      return (await import('./local.ts')).localEmbedding(config)
    case 'http':
      return (await import('./http.ts')).httpEmbedding(config)
    case 'hashing':
      return (await import('./hashing.ts')).hashingEmbedding(config)
    default: {
      const { kind } = config satisfies never as { kind: unknown }
      throw wrongSetting('embedding.kind', `embedding.kind must be local, http or hashing, not ${String(kind)}`)
    }
  }
}
