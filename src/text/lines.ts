const NEWLINE = 0x0a
const RETURN = 0x0d
/** Bytes kept of an overlong line, to identify it. */
const SHOWN_BYTES = 512
/** Bytes. A larger buffer is released after the line that needed it. */
const KEPT_BYTES = 1024 * 1024

const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024

export interface Line {
  /** Without its line end. A view: only valid until the next line is read. */
  bytes: Buffer
  /** Counted from 1, including blank and overlong lines. */
  number: number
  /** Over the limit: the line was dropped, and `bytes` is only its beginning. */
  overlong: boolean
}

/** Splits chunks of bytes into lines. Holds at most one unfinished line, up to the limit. */
export class LineSplitter {
  readonly #max: number
  /** A copy of the unfinished line, so that many tiny chunks take no more memory than their bytes. */
  #held: Buffer = Buffer.alloc(0)
  /** The length of the unfinished line, including bytes over the limit, which are not kept. */
  #length = 0
  lines = 0
  bytes = 0

  constructor(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#max = maxLineBytes
  }

  *push(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    this.bytes += bytes.length
    let start = 0
    for (let stop = bytes.indexOf(NEWLINE); stop >= 0; stop = bytes.indexOf(NEWLINE, start)) {
      const piece = bytes.subarray(start, stop)
      if (this.#length === 0 && piece.length <= this.#max) yield this.#line(piece, false)
      else {
        this.#hold(piece)
        yield this.#takeHeld()
      }
      start = stop + 1
    }
    if (start < bytes.length) this.#hold(bytes.subarray(start))
  }

  /** Ends the stream. A last line without a line end counts. */
  *end(): Generator<Line> {
    if (this.#length > 0) yield this.#takeHeld()
  }

  #hold(piece: Buffer): void {
    const total = this.#length + piece.length
    const wanted = Math.min(total, this.#max)
    if (wanted > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#max, Math.max(wanted, this.#held.length * 2, 4096)))
      this.#held.copy(grown, 0, 0, Math.min(this.#length, this.#max))
      this.#held = grown
    }
    if (this.#length < this.#max) piece.copy(this.#held, this.#length, 0, wanted - this.#length)
    this.#length = total
  }

  #takeHeld(): Line {
    const overlong = this.#length > this.#max
    const bytes = this.#held.subarray(0, overlong ? Math.min(SHOWN_BYTES, this.#max) : this.#length)
    this.#length = 0
    if (this.#held.length > KEPT_BYTES) this.#held = Buffer.alloc(0)
    return this.#line(bytes, overlong)
  }

  #line(bytes: Buffer, overlong: boolean): Line {
    this.lines++
    const end = !overlong && bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length
    const start = this.lines === 1 && startsWithByteOrderMark(bytes) ? 3 : 0
    const whole = start === 0 && end === bytes.length
    return { bytes: whole ? bytes : bytes.subarray(start, Math.max(start, end)), number: this.lines, overlong }
  }
}

function startsWithByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}
