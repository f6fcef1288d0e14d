import { alikeQuantities } from './quantities.ts'

/** Longer texts are never treated as the same wording: this bounds the cost, and long texts differ in details. */
const MAX_LENGTH = 2000

/** Words that do not change a claim if the others stay in place. No negation, modality, order, or tense. */
const EMPTY: ReadonlySet<string> = new Set(
  (
    'a an the about around roughly approximately approx circa ca some of is are be been being it its this that these ' +
    'also just please very - -- – —'
  ).split(' '),
)

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:can['’]t|cannot)\b/gi, 'can not'],
  [/\bwon['’]t\b/gi, 'will not'],
  [/n['’]t\b/gi, ' not'],
  [/\b(it|that|there|what|here)['’]s\b/gi, '$1 is'],
  [/['’]re\b/gi, ' are'],
]

/**
 * Whether two texts use the same words after normalising numbers, units and notation: `60s` and `about 60 seconds`, `5
 * attempts` and `five attempts`, `can't` and `cannot`. Order, values and all other words must match. A redacted text
 * never matches, since the removed parts may differ.
 */
export function sameWording(a: string, b: string): boolean {
  if (isRedacted(a) || isRedacted(b) || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return false
  const words = alike(a).join(' ')
  return words !== '' && words === alike(b).join(' ')
}

/** Whether the guard removed something from a text. */
export function isRedacted(text: string): boolean {
  return text.includes('[REDACTED')
}

/** Whether two texts match but the guard removed something from them that may differ. */
export function sameButRedacted(a: string, b: string): boolean {
  return isRedacted(a) && isRedacted(b) && alike(a).join(' ') === alike(b).join(' ')
}

/** Starts an addition. After any other mark it is as likely a correction (`..., moved to 9090`). */
const JOINS = /^,?\s+(?:and|when|if|because|with|for|in|at|by|after|before|while|where|via|from|during)\s/i
/** May retract the statement, give another value, or close a list that the other leaves open. */
const TAKES_BACK =
  /\d|n['\u2019]t\b|\b(?:no|not|never|nor|none|nothing|longer|more|but|though|until|unless|except|instead|only|solely|exactly|now|since|then|was|were|once|former|formerly|theory|fact|actually|supposedly|allegedly|wrong|false|obsolete|outdated|correction|update|edit|moved|replaced|changed|raised|lowered|increased|decreased|switched|migrated|dropped|removed|turned|reverted|overridden)\b/i
const FEWEST_WORDS = 3

/**
 * Whether one text repeats the other verbatim and adds to it (`It needs a key` and `It needs a key and a connection
 * through the VPN`). If the addition could retract the statement, the model decides.
 */
export function addsTo(a: string, b: string): boolean {
  const [less, more] = (a.length < b.length ? [a, b] : [b, a]).map((text) => text.trim().replace(/[.!;]+$/, ''))
  if (less!.length > MAX_LENGTH || less!.split(/\s+/).length < FEWEST_WORDS) return false
  if (!more!.toLowerCase().startsWith(less!.toLowerCase())) return false
  const added = more!.slice(less!.length)
  return JOINS.test(added) && !TAKES_BACK.test(added) && !/\b(?:only|solely|exactly|nothing|none)\b/i.test(less!)
}

/** How two nearly identical texts differ: in the names of their subjects, in values, in code, or in marks and case. */
export type Difference = { kind: 'names' | 'values' | 'code' | 'marks'; places: number; one: string; other: string }

/**
 * The difference between two texts that align word by word; null if they differ in other words or in more than one
 * kind. `ff_50` and `ff_37`, `rack 3` and `rack 4` are names; `30 days` and `31 days`, `+3` and `-3` are values; `-v`
 * and `-V`, `Sev1` and `Sev-1` are marks; `/var/log` and `/var/logs` are code.
 */
export function differenceOf(a: string, b: string): Difference | null {
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH) return null
  const [one, two] = [alike(a), alike(b)]
  if (one.length !== two.length) return null
  const places = one.flatMap((word, i) => (word === two[i] ? [] : [i]))
  const kinds = new Set(places.map((i) => kindOf(i, one, two)))
  const [kind] = kinds
  if (kinds.size !== 1 || kind === undefined || kind === null) return null
  const told = (words: readonly string[]) => places.map((i) => words[i]).join(', ')
  return { kind, places: places.length, one: told(one), other: told(two) }
}

/** Whether two texts have the same words in another order: `A calls B` and `B calls A`, or a moved clause. */
export function isReordered(a: string, b: string): boolean {
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH) return false
  const [one, two] = [alike(a), alike(b)].map((words) => words.filter((word) => !/^[,;:]$/.test(word)))
  return one!.join(' ') !== two!.join(' ') && one!.toSorted().join(' ') === two!.toSorted().join(' ')
}

/** A name that ends in a number: `ff_50`, `web-12`, `t7`. */
const NUMBERED = /^([^\d=@/]*[a-z][^\d=@/]*?)\d+$/
/** Looks like such a name but is a version or a value. */
const VERSIONED =
  /^(?:v|version|python|node|nodejs|php|java|jdk|go|ruby|pg|postgres|ubuntu|debian|es|http|tls|ssl|ipv|utc|gmt|utf|sha|md|port|gpt|q|m)[-_+]?$/
/** Words followed by an identifying number. */
const LABELS: ReadonlySet<string> = new Set(
  (
    'vm host rack shard pod worker replica disk gpu slot step stage phase job ticket issue pr page line test case zone tenant ' +
    'customer user account batch run build sprint floor room camera sensor drive bay table chapter task section machine server ' +
    'box printer lane unit cell column row partition flag chunk migration incident'
  ).split(' '),
)

/**
 * An identifying name comes among the first words; later in a sentence, another name is another claim (`eth1 is the
 * standby`).
 */
const SUBJECT = 2

function kindOf(place: number, all: readonly string[], others: readonly string[]): Difference['kind'] | null {
  const [one, two] = [all[place]!, others[place]!]
  const [a, b] = [NUMBERED.exec(one.toLowerCase())?.[1], NUMBERED.exec(two.toLowerCase())?.[1]]
  const named = a !== undefined && a === b && !VERSIONED.test(a)
  const labelled = /^\d+$/.test(one) && /^\d+$/.test(two) && LABELS.has(all[place - 1] ?? '')
  if (named || labelled) return place < SUBJECT ? 'names' : null
  if (OPERATOR.test(one) && OPERATOR.test(two)) return 'values'
  // `0.8` and `0.80` may be one number, or two versions.
  if (Number(one) === Number(two)) return 'marks'
  const values = VALUE.test(one) && VALUE.test(two)
  if (plainOf(one) === plainOf(two)) return values ? 'values' : 'marks'
  const [key, same] = [one, two].map((word) => /^(.+?)=./.exec(word)?.[1])
  if (values || (key !== undefined && key === same)) return 'values'
  return CODE.test(one) || CODE.test(two) ? 'code' : null
}

/** Paths, bucket names, units with a sign: one more letter makes a different one. */
const CODE = /[^\p{L}\p{N}'\u2019]/u

/** A number with its sign, range and unit, or a UTC offset. */
const VALUE = /^(?:utc|gmt)?[-+^~<>=≤≥]*\d[\d.,:]*(?:s|mo|b|bit|%)?$/
const OPERATOR = /^[-+*/%<>=!~^&|]+$/

/** Without marks and case, to compare `-v`, `/Data` and `!important`. */
function plainOf(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Cache of the words of recent texts: an observation is compared with ten neighbours, in several ways. */
const recent = new Map<string, readonly string[]>()
const RECENT = 64

export function alike(text: string): readonly string[] {
  const known = recent.get(text)
  if (known) return known
  const words = makeAlike(text)
  if (recent.size >= RECENT) recent.clear()
  recent.set(text, words)
  return words
}

/**
 * The words of a text, with numbers, units and notation normalised. Commas and similar marks count: they can change the
 * meaning.
 */
function makeAlike(text: string): string[] {
  const spoken = CONTRACTIONS.reduce((rest, [from, to]) => rest.replace(from, to), text.normalize('NFKC'))
  return alikeQuantities(spoken)
    .split(/\s+/)
    .flatMap((word, i, all) => [lower(bare(word)), ...(i < all.length - 1 ? (/[,;:]$/.exec(word) ?? []) : [])])
    .filter((word) => word !== '' && !EMPTY.has(word))
}

/**
 * A word without surrounding marks, and a version without its `v`. A mark in quotes is kept, because it is the subject.
 */
function bare(word: string): string {
  const inner = word.replace(/^(?:[("'`“”‘[]|[~≈](?=\d))+|[)"'`“”’\],;:.!?]+$/g, '').replace(/^v(?=\d+(?:\.\d+)*$)/, '')
  return inner === '' && /["'`“”‘’]/.test(word) ? word.replace(/[.!?]$/, '') : inner
}

/** Lower case, except for code: `-x` and `-X`, `/Data` and `/data` differ. */
function lower(word: string): string {
  return /^-{1,2}\w|[/\\_~$=@<>]|\.\w/.test(word) && !/^\d/.test(word) ? word : word.toLowerCase()
}
