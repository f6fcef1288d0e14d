import { tokenize } from '../text/tokens.ts'

/** Fewer words than this occur in any text. */
const FEWEST_WORDS = 3
/** A repeated memory needs this many additional words to count as new information. */
const FEWEST_OWN_WORDS = 2

/** Words that add no information: function words, and those used to cite a memory. */
const EMPTY: ReadonlySet<string> = new Set(
  tokenize(
    `a an the of to in on at is are was were be been it its this that there as i we you my our and or so then for with by from
    still again also now just indeed yes memory memories remember remembered recall recalled known knows noted note notes earlier
    before told tells says said shown according expected listed stated previous previously mentioned context confirmed confirms`,
  ),
)

/** Whether these words occur in a text, ignoring case, spacing and Markdown. `...` stands for omitted words. */
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

/** Whether a text merely repeats a memory, which is no evidence that it still holds. */
export function isEcho(words: string, memory: { content: string; service: string | null }): boolean {
  const known = new Set(tokenize(`${memory.service ?? ''} ${memory.content}`))
  return new Set(tokenize(words).filter((word) => !known.has(word) && !EMPTY.has(word))).size < FEWEST_OWN_WORDS
}

/** Whether two texts say one thing in the same words and order, ignoring words without information and the service's name. */
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
