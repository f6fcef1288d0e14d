/** What an editor shows as a tag, with spaces or invisible characters inside. */
const UNSEEN = '[\\s\\p{Cf}]*'
const TAG = new RegExp(`<${UNSEEN}(/?)${UNSEEN}${[...'private'].join('\\p{Cf}*')}(?:[\\s\\p{Cf}][^<>]*)?(?<!/)>`, 'giu')

/** Removes what is between `<private>` and `</private>`, across consecutive texts. */
export class PrivateParts {
  #depth = 0

  /** Whether a tag is still open, so that the next text starts as private. */
  get isOpen(): boolean {
    return this.#depth > 0
  }

  /** Keeps line breaks, so that the lines around a private part are not joined. */
  strip(text: string): string {
    let kept = ''
    let at = 0
    for (const match of text.matchAll(TAG)) {
      if (isMention(text, match)) continue
      kept += this.#keep(text.slice(at, match.index))
      this.#depth = Math.max(0, this.#depth + (match[1] === '/' ? -1 : 1))
      at = match.index + match[0].length
    }
    return at === 0 && !this.isOpen ? text : kept + this.#keep(text.slice(at))
  }

  #keep(text: string): string {
    return this.isOpen ? text.replace(/[^\r\n]+/g, '') : text
  }
}

/** The tag alone in backticks: the text is about the tag. */
function isMention(text: string, { 0: tag, index }: RegExpExecArray): boolean {
  return text[index - 1] === '`' && text[index + tag.length] === '`'
}

/** One complete text. An unclosed tag hides the rest of it. */
export function withoutPrivate(text: string): string {
  return new PrivateParts().strip(text)
}
