const FENCE = /^[\s>]*(`{3,}|~{3,})(.*)$/

/** Tracks Markdown fences line by line. An unclosed fence extends to the end of the text. */
export class FenceTracker {
  #open: string | null = null

  get isOpen(): boolean {
    return this.#open !== null
  }

  /** Takes the next line and returns whether it is code or a fence. */
  isCode(line: string): boolean {
    const match = FENCE.exec(line)
    const mark = match?.[1]
    if (this.#open === null) {
      // An info string with a backtick in it is inline code that happens to start the line.
      if (mark === undefined || (mark.startsWith('`') && match?.[2]?.includes('`'))) return false
      this.#open = mark
      return true
    }
    if (mark?.startsWith(this.#open) && match?.[2]?.trim() === '') this.#open = null
    return true
  }
}

/** Splits at the line ends where `.` in a regular expression stops. CRLF is one line end. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/)
}
