import { tokenize } from '../text/tokens.ts'

/** Fewer words than this are in every text. */
const FEWEST_WORDS = 3
/** A memory that is repeated needs this many further words before they tell something of their own. */
const FEWEST_OWN_WORDS = 2

/** Words that add nothing to what they stand beside: those of every sentence, and those by which a memory is cited. */
const EMPTY: ReadonlySet<string> = new Set(
  tokenize(
    `a an the of to in on at is are was were be been it its this that there as i we you my our and or so then for with by from
    still again also now just indeed yes memory memories remember remembered recall recalled known knows noted note notes earlier
    before told tells says said shown according expected listed stated previous previously mentioned context confirmed confirms`,
  ),
)

/** Whether these words are in a text, but for case, spacing and Markdown. Words between may be left out with `...`, in order. */
export function isSaid(words: string, text: string): boolean {
  if (tokenize(words).length < FEWEST_WORDS) return false
  const whole = plainText(text)
  let at = 0
  for (const part of words.split(/\[?(?:\.{3}|…)\]?/).map(plainText)) {
    if (part === '') continue
    const found = whole.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}

/** Whether words only hand a memory back: then they are no evidence that it still holds. */
export function isEcho(words: string, memory: { content: string; service: string | null }): boolean {
  const known = new Set(tokenize(`${memory.service ?? ''} ${memory.content}`))
  return new Set(tokenize(words).filter((word) => !known.has(word) && !EMPTY.has(word))).size < FEWEST_OWN_WORDS
}

/** Whether two texts say one thing in the same words: in this order, but for those that add nothing, and the name of the service. */
export function isSameText(
  a: { content: string; service: string | null },
  b: { content: string; service: string | null },
): boolean {
  const service = new Set(tokenize(`${a.service ?? ''} ${b.service ?? ''}`))
  const telling = (text: string) =>
    tokenize(text)
      .filter((word) => !EMPTY.has(word) && !service.has(word))
      .join(' ')
  return telling(a.content) === telling(b.content)
}

function plainText(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replace(/[*_`"'‘’“”«»]+/g, '')
    .replace(/[–—]/g, '-')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^[\s.,;:!?-]+|[\s.,;:!?-]+$/g, '')
}
