import type { Config } from '../config/load-config.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Loads the model (which verifies its SHA-256) or asks the service, with one short text. */
export async function checkEmbedding({ embedding: { kind } }: Config, provider: EmbeddingProvider): Promise<Check[]> {
  const started = performance.now()
  try {
    await provider.embed(['nokosu doctor'])
  } catch (error) {
    const fix = kind === 'http' ? 'Check embedding.url, embedding.model and embedding.apiKey.' : 'Install Nokosu again.'
    return [fail('model', (error as Error).message, fix)]
  }
  const took = `${Math.round(performance.now() - started)} ms`
  if (kind === 'hashing') {
    const fix = "Remove the setting to use the local model, then run 'nokosu reembed'."
    return [warn('model', `${provider.name} compares words, not meaning`, fix)]
  }
  return [
    ok(
      'model',
      kind === 'local'
        ? `${provider.name}, checksum verified, loaded in ${took}`
        : `${provider.name} answered in ${took}`,
    ),
  ]
}
