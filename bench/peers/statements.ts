/** Real statements with a question about each, and their vectors: one embedding for every system. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localEmbedding } from '../../src/embedding/local.ts'
import { normalize } from '../../src/vector/normalize.ts'
import { DIMENSIONS, type Embed } from './peer.ts'

export interface Statement {
  text: string
  question: string
}

/** Statements that are added while measuring; no store is filled with them. */
export const RESERVED = 1200
const TRAIN = join(import.meta.dirname, '..', '..', 'train')
const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'bench-peers')

interface Line {
  a?: string
  same?: string[]
  memory?: string
  answers?: string[]
}

/** About 15,000, always in the same mixed order. */
export function realStatements(): Statement[] {
  const lines = ['relate/groups', 'embed/questions'].flatMap((folder) =>
    readdirSync(join(TRAIN, folder))
      .filter((file) => file.endsWith('.jsonl'))
      .flatMap((file) =>
        readFileSync(join(TRAIN, folder, file), 'utf8')
          .split('\n')
          .filter(Boolean),
      )
      .map((line) => JSON.parse(line) as Line),
  )
  const all = new Map<string, Statement>()
  for (const { a, same, memory, answers } of lines) {
    const [text, question] = [a ?? memory, (same ?? answers)?.[0]]
    if (text !== undefined && question !== undefined) all.set(text, { text, question })
  }
  const list = [...all.values()]
  // A step without a common divisor visits each once, far from the one before.
  const step = 7919
  if (list.length % step === 0) throw new Error(`${list.length} statements cannot be mixed with ${step}`)
  return list.map((_, i) => list[(i * step) % list.length]!)
}

/** This many statements to fill a store. After the real ones they repeat, with a number. */
export function toFill(count: number): Statement[] {
  const real = realStatements().slice(RESERVED)
  return Array.from({ length: count }, (_, i) => {
    const base = real[i % real.length]!
    const turn = Math.floor(i / real.length)
    return turn === 0 ? base : { ...base, text: `${base.text}${NUMBERED}${turn}]` }
  })
}

const NUMBERED = ' [case '

/** Precomputed vectors by text. Other texts get random vectors, which cost nothing and match no statement. */
export function lookUp(vectors: ReadonlyMap<string, Float32Array>): Embed {
  return async (texts) => texts.map((text) => vectors.get(text) ?? numbered(text, vectors) ?? madeUp(text))
}

/** Close to the vector of the repeated statement, like a note on the same subject. */
function numbered(text: string, vectors: ReadonlyMap<string, Float32Array>): Float32Array | null {
  const base = vectors.get(text.split(NUMBERED)[0]!)
  if (base === undefined) return null
  const other = madeUp(text)
  return normalize(base.map((value, i) => value + 0.5 * other[i]!))
}

function madeUp(text: string): Float32Array {
  let state = 7
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0)!, 0x01000193)
  const vector = Float32Array.from({ length: DIMENSIONS }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
    return (state >>> 0) / 2 ** 32 - 0.5
  })
  return normalize(vector)
}

/** The vectors of these texts, from the cache of an earlier run or made now with Nokosu's local embedding. */
export async function vectorsOf(texts: readonly string[]): Promise<Map<string, Float32Array>> {
  const embedding = localEmbedding()
  const [names, numbers] = ['texts.json', 'vectors.bin'].map((file) =>
    join(CACHE, `${embedding.name.slice(6)}-${file}`),
  )
  const known = new Map<string, Float32Array>()
  if (existsSync(names!)) {
    const { buffer, byteOffset } = Buffer.from(new Uint8Array(readFileSync(numbers!)).buffer)
    for (const [i, text] of (JSON.parse(readFileSync(names!, 'utf8')) as string[]).entries())
      known.set(text, new Float32Array(buffer, byteOffset + i * DIMENSIONS * 4, DIMENSIONS))
  }
  const missing = [...new Set(texts)].filter((text) => !known.has(text))
  for (const [i, vector] of (await embedding.embed(missing)).entries()) known.set(missing[i]!, vector)
  await embedding.close?.()
  if (missing.length > 0) {
    mkdirSync(CACHE, { recursive: true })
    const all = [...known.values()]
    const flat = new Float32Array(all.length * DIMENSIONS)
    for (const [i, vector] of all.entries()) flat.set(vector, i * DIMENSIONS)
    writeFileSync(numbers!, flat)
    writeFileSync(names!, JSON.stringify([...known.keys()]))
  }
  return known
}
