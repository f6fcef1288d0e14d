import { PAGE_SLOTS, type PackedPage } from './packed-page.ts'
import { CODE_LIMIT, quantize, queryLimit } from './quantize.ts'
import { KERNEL_BYTES, ScanKernel } from './scan-kernel.ts'

/** Metadata of a slot beside its codes: an f32 scale, an f64 key and an f64 time until which it is visible. */
const META_BYTES = 20

/**
 * Chunks of PAGE_SLOTS slots in linear memory, each laid out as codes, scales, keys, visible-until times. A slot is
 * numbered `chunk * PAGE_SLOTS + row`. An empty slot has the key 0 and a NaN scale, which keeps it out of every scan.
 */
export class ChunkMemory {
  readonly #dimensions: number
  /** Bytes from one row to the next: the dimensions, padded with zeros. */
  readonly #stride: number
  readonly #chunkBytes: number
  readonly #kernel: ScanKernel
  readonly #free: number[] = []
  #chunks = 0
  #queryScale = 0

  constructor(dimensions: number) {
    this.#dimensions = dimensions
    this.#stride = Math.ceil(dimensions / 16) * 16
    this.#chunkBytes = PAGE_SLOTS * (this.#stride + META_BYTES)
    this.#kernel = new ScanKernel(this.#stride)
  }

  /** An empty chunk: a released one if available, otherwise a new one at the end. */
  allocate(): number {
    const reused = this.#free.pop()
    if (reused !== undefined) return reused
    this.#kernel.reserve(KERNEL_BYTES + (this.#chunks + 1) * this.#chunkBytes)
    const chunk = this.#chunks++
    this.#clear(chunk)
    return chunk
  }

  release(chunk: number): void {
    this.#clear(chunk)
    this.#free.push(chunk)
  }

  keyOf(slot: number): number {
    return this.#kernel.float64[this.#keyIndex(slot)]!
  }

  visibleUntil(slot: number): number {
    return this.#kernel.float64[this.#keyIndex(slot) + PAGE_SLOTS]!
  }

  setVisibleUntil(slot: number, time: number): void {
    this.#kernel.float64[this.#keyIndex(slot) + PAGE_SLOTS] = time
  }

  /** Quantizes `vector` into the slot; throws a RangeError before it changes anything. */
  write(slot: number, key: number, vector: Float32Array): void {
    const scale = quantize(vector, this.#dimensions, CODE_LIMIT, this.#kernel.int8, this.#codesOffset(slot))
    this.#kernel.float32[this.#scaleIndex(slot)] = scale
    this.#kernel.float64[this.#keyIndex(slot)] = key
  }

  erase(slot: number): void {
    this.#kernel.float32[this.#scaleIndex(slot)] = Number.NaN
    this.#kernel.float64[this.#keyIndex(slot)] = 0
  }

  /** Copies a page into an empty chunk, slot by slot; its entries never expire. */
  writePage(chunk: number, page: PackedPage): void {
    const { int8, float32, float64 } = this.#kernel
    const first = chunk * PAGE_SLOTS
    const rows = page.keys.length
    if (this.#stride === this.#dimensions) {
      int8.set(page.codes, this.#codesOffset(first))
    } else {
      for (let row = 0; row < rows; row++) {
        const codes = page.codes.subarray(row * this.#dimensions, (row + 1) * this.#dimensions)
        int8.set(codes, this.#codesOffset(first + row))
      }
    }
    float32.set(page.scales, this.#scaleIndex(first))
    float64.set(page.keys, this.#keyIndex(first))
    float64.fill(Infinity, this.#keyIndex(first) + PAGE_SLOTS, this.#keyIndex(first) + PAGE_SLOTS + rows)
    for (let row = 0; row < rows; row++) if (page.keys[row] === 0) this.erase(first + row)
  }

  /** Sets the query for the following scans; throws a RangeError for an invalid vector. */
  setQuery(vector: Float32Array): void {
    const limit = queryLimit(this.#stride)
    this.#queryScale = quantize(vector, this.#dimensions, limit, this.#kernel.query, 0)
  }

  score(slot: number): number {
    const scale = this.#kernel.float32[this.#scaleIndex(slot)]!
    return this.#kernel.exports.score(this.#codesOffset(slot), this.#stride, scale, this.#queryScale)
  }

  /** Scores the first `rows` rows of a chunk and returns how many reached `threshold`; see hitRow and hitScore. */
  scan(chunk: number, rows: number, threshold: number): number {
    const first = chunk * PAGE_SLOTS
    const scales = this.#scaleIndex(first) * 4
    return this.#kernel.exports.scan(this.#codesOffset(first), this.#stride, rows, scales, this.#queryScale, threshold)
  }

  hitRow(hit: number): number {
    return this.#kernel.hits[hit]!
  }

  hitScore(row: number): number {
    return this.#kernel.scores[row]!
  }

  #clear(chunk: number): void {
    const scales = this.#scaleIndex(chunk * PAGE_SLOTS)
    const keys = this.#keyIndex(chunk * PAGE_SLOTS)
    this.#kernel.float32.fill(Number.NaN, scales, scales + PAGE_SLOTS)
    this.#kernel.float64.fill(0, keys, keys + PAGE_SLOTS)
  }

  #chunkOffset(slot: number): number {
    return KERNEL_BYTES + (slot >>> 8) * this.#chunkBytes
  }

  #codesOffset(slot: number): number {
    return this.#chunkOffset(slot) + (slot & 255) * this.#stride
  }

  /** Index into the f32 view. */
  #scaleIndex(slot: number): number {
    return (this.#chunkOffset(slot) + PAGE_SLOTS * this.#stride) / 4 + (slot & 255)
  }

  /** Index into the f64 view; the visible-until time is PAGE_SLOTS further. */
  #keyIndex(slot: number): number {
    return (this.#chunkOffset(slot) + PAGE_SLOTS * (this.#stride + 4)) / 8 + (slot & 255)
  }
}
