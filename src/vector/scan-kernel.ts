import { SCAN_WASM } from './scan-wasm.ts'

/** The part of WebAssembly used here; neither the ES library nor Node's types declare it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>)
    readonly exports: unknown
  }
  class Memory {
    constructor(descriptor: { initial: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
}

/** A page of linear memory, in bytes. */
const WASM_PAGE = 65_536
const MAX_BYTES = 2 ** 32
/** Growing requires new views and often triggers a collection, so memory grows by a quarter; untouched pages are not resident. */
const LEAST_GROWTH = 4 * 2 ** 20

/** Where scan.wat keeps its query, scores and hits, in bytes; the caller uses the rest. */
const SCORES_OFFSET = 8192
const HITS_OFFSET = 9216
export const KERNEL_BYTES = 10_240

interface ScanExports {
  scan(rows: number, stride: number, count: number, scales: number, queryScale: number, threshold: number): number
  score(row: number, stride: number, scale: number, queryScale: number): number
}

let compiled: WebAssembly.Module | undefined

/** The compiled kernel with a linear memory of its own, and typed views of it that follow its growth. */
export class ScanKernel {
  readonly #paddedDimensions: number
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly exports: ScanExports
  int8!: Int8Array
  float32!: Float32Array
  float64!: Float64Array
  /** Values of the query that the next scan or score uses. */
  query!: Int16Array
  /** Scores of the rows of the last scan, and the rows among them that reached its threshold. */
  scores!: Float32Array
  hits!: Int32Array

  constructor(paddedDimensions: number) {
    this.#paddedDimensions = paddedDimensions
    compiled ??= new WebAssembly.Module(Buffer.from(SCAN_WASM, 'base64'))
    this.exports = new WebAssembly.Instance(compiled, { nokosu: { memory: this.#memory } }).exports as ScanExports
    this.#view()
  }

  /** Ensures that the first `bytes` bytes exist. Throws a RangeError beyond the 4 GiB limit of linear memory. */
  reserve(bytes: number): void {
    const size = this.#memory.buffer.byteLength
    if (bytes <= size) return
    if (bytes > MAX_BYTES) throw new RangeError('the vector index is full: it contains at most 4 GiB')
    const target = Math.min(Math.max(bytes, size + LEAST_GROWTH, size * 1.25), MAX_BYTES)
    this.#memory.grow(Math.ceil((target - size) / WASM_PAGE))
    this.#view()
  }

  #view(): void {
    const { buffer } = this.#memory
    this.int8 = new Int8Array(buffer)
    this.float32 = new Float32Array(buffer)
    this.float64 = new Float64Array(buffer)
    this.query = new Int16Array(buffer, 0, this.#paddedDimensions)
    this.scores = new Float32Array(buffer, SCORES_OFFSET, (HITS_OFFSET - SCORES_OFFSET) / 4)
    this.hits = new Int32Array(buffer, HITS_OFFSET, (KERNEL_BYTES - HITS_OFFSET) / 4)
  }
}
