import { SECRET_RULES } from './secret-rules.ts'

/** Keywords of three or more characters go through the table, shorter ones through `includes`. */
const TABLE_KEYWORD_LENGTH = 3
/** Rules without a keyword run only on texts with this many letters and digits in a row. Ordinary words are shorter. */
const LONG_RUN = 16

/** Three characters, five bits each: ignores case, and collisions are resolved by comparing. */
function slot(a: number, b: number, c: number): number {
  return ((a & 31) << 10) | ((b & 31) << 5) | (c & 31)
}

interface Keyword {
  text: string
  /** Indexes into SECRET_RULES. */
  rules: number[]
}

function collectKeywords(): Keyword[] {
  const byText = new Map<string, Keyword>()
  for (const [index, rule] of SECRET_RULES.entries()) {
    if (rule.keywords === '') continue
    for (const text of rule.keywords.split('|')) {
      const keyword = byText.get(text) ?? { text, rules: [] }
      keyword.rules.push(index)
      byText.set(text, keyword)
    }
  }
  return [...byText.values()]
}

const KEYWORDS = collectKeywords()
const SHORT = KEYWORDS.filter((keyword) => keyword.text.length < TABLE_KEYWORD_LENGTH)
/** The position in BUCKETS of a slot's keywords; 0 for none. */
const TABLE = new Uint16Array(32 * 32 * 32)
const BUCKETS: Keyword[][] = [[]]
for (const keyword of KEYWORDS) {
  if (keyword.text.length < TABLE_KEYWORD_LENGTH) continue
  const key = slot(keyword.text.charCodeAt(0), keyword.text.charCodeAt(1), keyword.text.charCodeAt(2))
  if (TABLE[key] === 0) TABLE[key] = BUCKETS.push([]) - 1
  BUCKETS[TABLE[key]!]!.push(keyword)
}

/** Which rules have a keyword in the text: a 1 at the rule's index. One pass for any number of rules. */
export function findKeywords(text: string): Uint8Array {
  const lower = text.toLowerCase()
  const present = new Uint8Array(SECRET_RULES.length)
  const seen = new Set<Keyword>()
  const mark = (keyword: Keyword): void => {
    for (const rule of keyword.rules) present[rule] = 1
    seen.add(keyword)
  }
  for (const keyword of SHORT) if (lower.includes(keyword.text)) mark(keyword)
  let a = lower.charCodeAt(0)
  let b = lower.charCodeAt(1)
  for (let i = 2; i < lower.length; i++) {
    const c = lower.charCodeAt(i)
    const bucket = TABLE[slot(a, b, c)]!
    if (bucket !== 0) {
      for (const keyword of BUCKETS[bucket]!) {
        if (!seen.has(keyword) && lower.startsWith(keyword.text, i - 2)) mark(keyword)
      }
    }
    a = b
    b = c
  }
  return present
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

/** Checks every 16th character, and backwards from it over letters and digits. */
export function hasLongRun(text: string): boolean {
  let probe = LONG_RUN - 1
  while (probe < text.length) {
    let back = 0
    while (back < LONG_RUN && isAlphanumeric(text.charCodeAt(probe - back))) back++
    if (back === LONG_RUN) return true
    probe += LONG_RUN - back
  }
  return false
}
