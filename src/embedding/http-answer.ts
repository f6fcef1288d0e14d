import { MemoryError } from '../model/errors.ts'

/**
 * The vectors of an OpenAI-compatible answer, in the order of the request, as floats or base64 (little-endian float32).
 * An answer that does not fit the request is refused, saying how.
 */
export function parseEmbeddings(body: string, count: number, dimensions: number): Float32Array[] {
  const data = parseData(body)
  if (data.length !== count) throw unusable(`${data.length} vectors for ${count} texts`)
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined)
  data.forEach((entry: unknown, position) => {
    const { index, embedding } = asRecord(entry)
    // Some servers omit the index and answer in order.
    const place = index ?? position
    if (typeof place !== 'number' || !Number.isInteger(place) || place < 0 || place >= count) {
      throw unusable(`vector ${position} has an index outside 0 to ${count - 1}`)
    }
    if (vectors[place] !== undefined) throw unusable(`index ${place} appears twice`)
    vectors[place] = parseVector(embedding, place, dimensions)
  })
  // Every position is filled: as many entries as positions, without duplicates.
  return vectors as Float32Array[]
}

function parseData(body: string): unknown[] {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    // Without the cause: the parser's error quotes the body, which may quote the texts.
    throw unusable('not JSON')
  }
  const { data } = asRecord(answer)
  if (!Array.isArray(data)) throw unusable('no "data" list')
  return data
}

function parseVector(embedding: unknown, index: number, dimensions: number): Float32Array {
  const vector = typeof embedding === 'string' ? decodeBase64(embedding, index) : decodeNumbers(embedding, index)
  if (vector.length !== dimensions) {
    throw unusable(`vector ${index} has ${vector.length} dimensions, and ${dimensions} are configured`)
  }
  if (!vector.every(Number.isFinite)) throw unusable(`vector ${index} contains a number that is not finite`)
  return vector
}

function decodeNumbers(embedding: unknown, index: number): Float32Array {
  if (!Array.isArray(embedding)) throw unusable(`vector ${index} is neither a list of numbers nor base64`)
  // JSON has no NaN: servers write null, which Float32Array would read as 0.
  return Float32Array.from(embedding, (value: unknown) => (typeof value === 'number' ? value : Number.NaN))
}

function decodeBase64(embedding: string, index: number): Float32Array {
  const bytes = Buffer.from(embedding, 'base64')
  if (bytes.length % 4 !== 0)
    throw unusable(`vector ${index} is base64 of ${bytes.length} bytes, which is not a whole number of float32s`)
  const vector = new Float32Array(bytes.length / 4)
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * 4)
  return vector
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function unusable(problem: string): MemoryError {
  return new MemoryError('EMBEDDING_FAILED', `The embedding service gave an unusable answer: ${problem}`, {
    retryable: false,
  })
}
