/** Turns word piece numbers into model input: one row of 384 values per piece. */
export type WordVectors = (ids: BigInt64Array) => Float32Array

export const VECTOR_WIDTH = 384
/** SHA-256 of the shared `vectors.bin`. */
export const VECTORS_SHA256 = '19bbb8b3996b35ceee63bfa1ace7667a19152ac600a5a434c387cfbbb4a09d33'

/** The value that stands for zero in a table. */
const ZERO = 44

/**
 * `vectors.bin`: the step as float32, then a row of bytes for each piece. A model whose training changed some words has those rows in a separate file: their
 * count and their numbers as uint16, then their rows. `train/share_words.py` makes both.
 */
export function wordVectors(shared: Uint8Array, own?: Uint8Array): WordVectors {
  const step = new DataView(shared.buffer, shared.byteOffset).getFloat32(0, true)
  const rows = new Uint8Array(shared.buffer, shared.byteOffset + 4)
  const { places, rows: moved } = own === undefined ? { places: new Map<number, number>(), rows } : readOwn(own)
  return (ids) => {
    const vectors = new Float32Array(ids.length * VECTOR_WIDTH)
    for (let i = 0; i < ids.length; i++) {
      const id = Number(ids[i])
      const place = places.get(id)
      const from = place === undefined ? rows : moved
      const start = (place ?? id) * VECTOR_WIDTH
      for (let k = 0; k < VECTOR_WIDTH; k++) vectors[i * VECTOR_WIDTH + k] = (from[start + k]! - ZERO) * step
    }
    return vectors
  }
}

function readOwn(bytes: Uint8Array): { places: Map<number, number>; rows: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const count = view.getUint16(0, true)
  const places = new Map<number, number>()
  for (let i = 0; i < count; i++) places.set(view.getUint16(2 + 2 * i, true), i)
  return { places, rows: new Uint8Array(bytes.buffer, bytes.byteOffset + 2 + 2 * count) }
}
