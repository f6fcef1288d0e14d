import { detach } from './excerpt.ts'

/** Keeps the beginning and the end of a text of any length: how a run started and how it ended. */
export class HeadAndTail {
  readonly #half: number
  #head = ''
  #tail = ''
  #leftOut = 0

  /** Characters to keep in all. */
  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2))
  }

  add(text: string): void {
    const room = this.#half - this.#head.length
    if (room > 0) this.#head += detach(text.slice(0, room))
    if (text.length <= room) return
    const rest = room > 0 ? text.slice(room) : text
    this.#tail += rest.length > this.#half ? this.#cut(rest) : rest
    // Cutting only now and then keeps many short additions fast.
    if (this.#tail.length > this.#half * 2) this.#tail = this.#cut(this.#tail)
  }

  toString(): string {
    const tail = this.#tail.length > this.#half ? this.#cut(this.#tail) : this.#tail
    this.#tail = tail
    if (this.#leftOut === 0) return this.#head + tail
    return `${this.#head}\n[... ${this.#leftOut.toLocaleString('en')} characters left out ...]\n${tail}`
  }

  #cut(text: string): string {
    this.#leftOut += text.length - this.#half
    return detach(text.slice(-this.#half))
  }
}
