/** A code, version or numbered name. What remains without its numbers is its shape, which its siblings share. */
const NAMED = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\p{L}\p{N}_.#-]*[\p{L}\p{N}])?/gu
/** Names begin with a letter, versions are numbers with points between them. A quantity ("60s", "4 GB") names nothing. */
const IDENTIFIER = /^(?=.*\d)\p{L}|^\d+(?:\.\d+)+$/u
/** "port 904", "shard 2": the word before the number says what is numbered. */
const NUMBERED = /(?<![\p{L}\p{N}_.#-])(\p{L}{3,})[ #]+(\d+)(?![\p{L}\p{N}%:]|[.,]\d)/gu
/** Words before a number that name nothing: months, and words before a quantity ("completing 15", "waits 30"). */
const NO_NAME =
  /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|^(?:the|and|than|for|from|with|about|over|under|above|below|only|last|next|first|after|before|until|since|every|all|has|have|was|are|takes?|needs?|least|most|within|exactly|around)$|(?:ing|ed|s)$/
/** "Never below 4.7.0" is also about 4.6.0. */
const RANGE = /\b(?:below|above|before|since|until|from|up to|between|than)\s+v?\d+\.\d/i
/** A longer text has several subjects, and its numbers do not identify one. */
const LONG = 500
const YEAR = /^(?:19|20)\d\d$/

/** The identifiers of a text, by shape. */
function identifiersIn(text: string): Map<string, Set<string>> {
  const shapes = new Map<string, Set<string>>()
  const add = (name: string) => {
    const shape = name.replace(/\d+/g, '#')
    shapes.set(shape, (shapes.get(shape) ?? new Set()).add(name))
  }
  const plain = text.toLowerCase()
  for (const [name] of plain.matchAll(NAMED)) if (IDENTIFIER.test(name)) add(name)
  for (const [, word, number] of plain.matchAll(NUMBERED)) {
    if (!NO_NAME.test(word!) && !YEAR.test(number!)) add(`${word} ${number}`)
  }
  return shapes
}

/**
 * Returns a test for texts that name a sibling of what the query names, but not that itself: TRF-2092 for TRF-2093, v1 for v2. Null if the query names no code,
 * version or numbered thing.
 */
export function siblingOf(query: string): ((content: string) => boolean) | null {
  const named = identifiersIn(query)
  if (named.size === 0) return null
  return (content) => {
    if (content.length > LONG || !/\d/.test(content)) return false
    const held = identifiersIn(content)
    return [...named].some(([shape, names]) => {
      const own = held.get(shape)
      return own?.isDisjointFrom(names) === true && !(shape.includes('#.#') && RANGE.test(content))
    })
  }
}
