import { CODE_LIMIT, quantize } from './quantize.ts'

/** Maximum entries of a page, and the number of slots in a chunk of the index. */
export const PAGE_SLOTS = 256

/** A stored page: keys of its entries (0 is an empty slot), int8 codes slot by slot, and a scale per slot. */
export interface PackedPage {
  keys: Float64Array
  scales: Float32Array
  /** `keys.length * dimensions` codes, without padding. */
  codes: Int8Array
}

/** Quantizes up to PAGE_SLOTS entries into a page. Vectors are unit length or zero. */
export function packPage(entries: { key: number; vector: Float32Array }[], dimensions: number): PackedPage {
  if (entries.length > PAGE_SLOTS) throw new RangeError(`a page holds ${PAGE_SLOTS} entries, got ${entries.length}`)
  const keys = new Float64Array(entries.length)
  const scales = new Float32Array(entries.length)
  const codes = new Int8Array(entries.length * dimensions)
  for (const [slot, { key, vector }] of entries.entries()) {
    assertKey(key)
    keys[slot] = key
    scales[slot] = quantize(vector, dimensions, CODE_LIMIT, codes, slot * dimensions)
  }
  return { keys, scales, codes }
}

/** Throws a RangeError for an inconsistent page, such as one read from a damaged file. */
export function assertPage(page: PackedPage, dimensions: number): void {
  const { keys, scales, codes } = page
  const slots = keys.length
  if (slots > PAGE_SLOTS) throw new RangeError(`a page holds ${PAGE_SLOTS} entries, got ${slots}`)
  if (scales.length !== slots || codes.length !== slots * dimensions) {
    throw new RangeError(
      `a page of ${slots} slots and ${dimensions} dimensions has ${scales.length} scales and ${codes.length} codes`,
    )
  }
  for (let slot = 0; slot < slots; slot++) {
    if (keys[slot] === 0) continue
    assertKey(keys[slot]!)
    if (!(scales[slot]! >= 0 && scales[slot]! < Infinity)) throw new RangeError(`slot ${slot} has a bad scale`)
  }
}

/** Keys are positive safe integers, such as SQLite row ids. */
export function assertKey(key: number): void {
  if (!(Number.isSafeInteger(key) && key > 0)) throw new RangeError(`a key is a positive integer, got ${key}`)
}
