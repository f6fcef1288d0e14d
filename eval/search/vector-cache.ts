import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '../../src/embedding/cached-embedder.ts'
import type { EmbeddingProvider } from '../../src/embedding/provider.ts'

const HASH_BYTES = 16

/** A provider that caches vectors in a folder, so that ranking changes can be measured without embedding again. */
export function keptVectors(provider: EmbeddingProvider, folder: string): EmbeddingProvider {
  const { name, dimensions } = provider
  const file = join(folder, `${name.replace(/[^\w.-]+/g, '_')}.vectors`)
  const kept = existsSync(file) ? readVectors(file, dimensions) : new Map<string, Float32Array>()
  mkdirSync(folder, { recursive: true })
  return {
    ...provider,
    async embed(texts, options) {
      const missing = [...new Map(texts.map((text) => [hashText(text), text]))].filter(([hash]) => !kept.has(hash))
      if (missing.length > 0) {
        const made = await provider.embed(
          missing.map(([, text]) => text),
          options,
        )
        const records = missing.map(([hash], i) => {
          kept.set(hash, made[i]!)
          return Buffer.concat([
            Buffer.from(hash, 'hex'),
            Buffer.from(made[i]!.buffer, made[i]!.byteOffset, 4 * dimensions),
          ])
        })
        appendFileSync(file, Buffer.concat(records))
      }
      return texts.map((text) => kept.get(hashText(text))!)
    },
  }
}

function readVectors(file: string, dimensions: number): Map<string, Float32Array> {
  const bytes = readFileSync(file)
  const size = HASH_BYTES + 4 * dimensions
  const kept = new Map<string, Float32Array>()
  for (let at = 0; at + size <= bytes.length; at += size) {
    const vector = bytes.buffer.slice(bytes.byteOffset + at + HASH_BYTES, bytes.byteOffset + at + size)
    kept.set(bytes.toString('hex', at, at + HASH_BYTES), new Float32Array(vector))
  }
  return kept
}
