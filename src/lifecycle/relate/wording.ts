/** Longer texts are never called the same words: comparing them stays cheap, and long texts differ in details. */
const MAX_LENGTH = 2000

/** Words that leave the claim as it is where all others stay in their places. No negation, modality, order, or tense. */
const EMPTY: ReadonlySet<string> = new Set(
  (
    'a an the about around roughly approximately approx circa ca some of is are be been being it its this that these ' +
    'also just please very - -- – —'
  ).split(' '),
)

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen twenty`
    .split(/\s+/)
    .map((word, value): [string, number] => [word, value])
    .concat(['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].map((word, i) => [word, 30 + 10 * i])),
)

/** Names of a unit, with the base unit and how many of it. */
const UNITS: ReadonlyMap<string, readonly [factor: number, base: string]> = new Map(
  (
    [
      ['ms msec millisecond milliseconds', 0.001, 's'],
      ['s sec secs second seconds', 1, 's'],
      ['m min mins minute minutes', 60, 's'],
      ['h hr hrs hour hours', 3600, 's'],
      ['d day days', 86_400, 's'],
      ['w week weeks', 604_800, 's'],
      ['month months', 1, 'mo'],
      ['yr yrs year years', 12, 'mo'],
      ['byte bytes', 1, 'b'],
      ['kb kilobyte kilobytes', 1e3, 'b'],
      ['mb megabyte megabytes', 1e6, 'b'],
      ['gb gig gigs gigabyte gigabytes', 1e9, 'b'],
      ['tb terabyte terabytes', 1e12, 'b'],
      ['kib', 2 ** 10, 'b'],
      ['mib', 2 ** 20, 'b'],
      ['gib', 2 ** 30, 'b'],
      ['% percent pct', 1, '%'],
      ['k', 1000, ''],
    ] as const
  ).flatMap(([names, factor, base]) => names.split(' ').map((name) => [name, [factor, base]] as const)),
)
/** Units only right behind their number: with a space between they are something else. */
const CLOSE = /^[mdwk]$/

/** Longest first, or `m` would take the beginning of `min`. */
const UNIT = [...UNITS.keys()].sort((a, b) => b.length - a.length).join('|')
/** A number and what it measures. No part of a version, address, path, port, issue or option; `a` only before a unit. */
const QUANTITY = new RegExp(
  `(?<![\\w.:/#-])(\\d[\\d,_]*(?:\\.\\d+)?|${[...NUMBER_WORDS.keys()].join('|')}|an?(?=\\s(?:minute|hour|day|week|month|year)\\b))` +
    `(?:([ -]?)(${UNIT}))?(?![\\w%]|[.,:/-]\\d)`,
  'gi',
)

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:can['’]t|cannot)\b/g, 'can not'],
  [/\bwon['’]t\b/g, 'will not'],
  [/n['’]t\b/g, ' not'],
  [/\b(it|that|there|what|here)['’]s\b/g, '$1 is'],
  [/['’]re\b/g, ' are'],
]

/**
 * Whether two texts say the same in the same words once numbers, units and notation are made alike: `60s` and `about 60
 * seconds`, `5 attempts` and `five attempts`, `can't` and `cannot`. Order, every other word and every value count. What
 * a redaction took out may have differed, so a redacted text has the words of no other.
 */
export function sameWording(a: string, b: string): boolean {
  if (isRedacted(a) || isRedacted(b) || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return false
  const words = alike(a)
  return words !== '' && words === alike(b)
}

/** Whether the guard took something out of a text. */
export function isRedacted(text: string): boolean {
  return text.includes('[REDACTED')
}

/** A text with its numbers, units and notation made alike, for comparing. */
function alike(text: string): string {
  const plain = CONTRACTIONS.reduce((rest, [from, to]) => rest.replace(from, to), lower(text.normalize('NFKC')))
  return plain
    .replace(QUANTITY, (written, ...parts: string[]) => canonical(parts) ?? written)
    .split(/\s+/)
    .map(bare)
    .filter((word) => word !== '' && !EMPTY.has(word))
    .join(' ')
}

/** A word without the marks around it, and a version without its `v`. A mark in quotes is what is meant, and stays. */
function bare(word: string): string {
  const inner = word.replace(/^[("'`“”‘[~≈]+|[)"'`“”’\],;:.!?]+$/g, '').replace(/^v(?=\d+(?:\.\d+)*$)/, '')
  return inner === '' && /["'`“”‘’]/.test(word) ? word.replace(/[.!?]$/, '') : inner
}

/** `60s` for `1 minute`; null for a number that may be a version. */
function canonical([number = '', space = '', unit]: readonly string[]): string | null {
  const word = number.toLowerCase()
  const digits = /^\d{1,3}(?:[,_]\d{3})+$/.test(word) ? word.replace(/[,_]/g, '') : word
  const value = /^an?$/.test(word) ? 1 : (NUMBER_WORDS.get(word) ?? Number(digits))
  if (Number.isNaN(value)) return null
  const name = unit?.toLowerCase()
  if (name === undefined) return /[.,_]/.test(digits) ? null : String(value)
  if (space !== '' && CLOSE.test(name)) return null
  const [factor, base] = UNITS.get(name)!
  // Twelve digits are enough to tell values apart, and hide what binary fractions add.
  return `${Number((value * factor).toPrecision(12))}${base}`
}

/** Lower case, but for options of one letter: `-x` and `-X` are two. */
function lower(text: string): string {
  return text.replace(/\S+/g, (word) => (/^-[A-Z]$/.test(word) ? word : word.toLowerCase()))
}
