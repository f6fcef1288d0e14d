import { alikeQuantities } from './quantities.ts'

/** Longer texts are never called the same words: comparing them stays cheap, and long texts differ in details. */
const MAX_LENGTH = 2000

/** Words that leave the claim as it is where all others stay in their places. No negation, modality, order, or tense. */
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
 * Whether two texts say the same in the same words once numbers, units and notation are made alike: `60s` and `about 60
 * seconds`, `5 attempts` and `five attempts`, `can't` and `cannot`. Order, every other word and every value count. What
 * a redaction took out may have differed, so a redacted text has the words of no other.
 */
export function sameWording(a: string, b: string): boolean {
  if (isRedacted(a) || isRedacted(b) || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return false
  const words = alike(a).join(' ')
  return words !== '' && words === alike(b).join(' ')
}

/** Whether the guard took something out of a text. */
export function isRedacted(text: string): boolean {
  return text.includes('[REDACTED')
}

/** Whether two texts have the same words and the guard took something out of them, which may have differed. */
export function sameButRedacted(a: string, b: string): boolean {
  return isRedacted(a) && isRedacted(b) && alike(a).join(' ') === alike(b).join(' ')
}

/** What begins an addition. After any other mark a correction is as likely (`..., moved to 9090`). */
const JOINS = /^,?\s+(?:and|when|if|because|with|for|in|at|by|after|before|while|where|via|from|during)\s/i
/** What may take back what was said, give another value for it, or close a list that the other leaves open. */
const TAKES_BACK =
  /\d|n['\u2019]t\b|\b(?:no|not|never|nor|none|nothing|longer|more|but|though|until|unless|except|instead|only|solely|exactly|now|since|then|was|were|once|former|formerly|theory|fact|actually|supposedly|allegedly|wrong|false|obsolete|outdated|correction|update|edit|moved|replaced|changed|raised|lowered|increased|decreased|switched|migrated|dropped|removed|turned|reverted|overridden)\b/i
const FEWEST_WORDS = 3

/**
 * Whether one text repeats the other word for word and adds to it (`It needs a key` and `It needs a key and a connection through the VPN`). An
 * addition that could take the statement back is left to the model.
 */
export function addsTo(a: string, b: string): boolean {
  const [less, more] = (a.length < b.length ? [a, b] : [b, a]).map((text) => text.trim().replace(/[.!;]+$/, ''))
  if (less!.length > MAX_LENGTH || less!.split(/\s+/).length < FEWEST_WORDS) return false
  if (!more!.toLowerCase().startsWith(less!.toLowerCase())) return false
  const added = more!.slice(less!.length)
  return JOINS.test(added) && !TAKES_BACK.test(added) && !/\b(?:only|solely|exactly|nothing|none)\b/i.test(less!)
}

/** How two texts of the same words but for a few differ: in the names of what they are about, in values, in code, or in marks and case. */
export type Difference = { kind: 'names' | 'values' | 'code' | 'marks'; places: number; one: string; other: string }

/**
 * What two texts that are alike word by word differ in; null where they differ in other words or in more than one kind.
 * `ff_50` and `ff_37`, `rack 3` and `rack 4` are names; `30 days` and `31 days`, `+3` and `-3` are values; `-v` and `-V`, `Sev1` and `Sev-1` are marks; `/var/log` and `/var/logs` are code.
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

/** Whether two texts have the same words in another order: `A calls B` and `B calls A`, or a clause that was moved. */
export function isReordered(a: string, b: string): boolean {
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH) return false
  const [one, two] = [alike(a), alike(b)].map((words) => words.filter((word) => !/^[,;:]$/.test(word)))
  return one!.join(' ') !== two!.join(' ') && one!.toSorted().join(' ') === two!.toSorted().join(' ')
}

/** A name that ends in a number: `ff_50`, `web-12`, `t7`. */
const NUMBERED = /^([^\d=@/]*[a-z][^\d=@/]*?)\d+$/
/** What is written as such a name and is a version or a value. */
const VERSIONED =
  /^(?:v|version|python|node|nodejs|php|java|jdk|go|ruby|pg|postgres|ubuntu|debian|es|http|tls|ssl|ipv|utc|gmt|utf|sha|md|port|gpt|q|m)[-_+]?$/
/** What is told apart by the number behind it. */
const LABELS: ReadonlySet<string> = new Set(
  (
    'vm host rack shard pod worker replica disk gpu slot step stage phase job ticket issue pr page line test case zone tenant ' +
    'customer user account batch run build sprint floor room camera sensor drive bay table chapter task section machine server ' +
    'box printer lane unit cell column row partition flag chunk migration incident'
  ).split(' '),
)

/** What is told apart by a name begins with it; later in a sentence another name is another claim (`eth1 is the standby`). */
const SUBJECT = 2

function kindOf(place: number, all: readonly string[], others: readonly string[]): Difference['kind'] | null {
  const [one, two] = [all[place]!, others[place]!]
  const [a, b] = [NUMBERED.exec(one.toLowerCase())?.[1], NUMBERED.exec(two.toLowerCase())?.[1]]
  const named = a !== undefined && a === b && !VERSIONED.test(a)
  const labelled = /^\d+$/.test(one) && /^\d+$/.test(two) && LABELS.has(all[place - 1] ?? '')
  if (named || labelled) return place < SUBJECT ? 'names' : null
  if (OPERATOR.test(one) && OPERATOR.test(two)) return 'values'
  // `0.8` and `0.80`: the same number, or two versions.
  if (Number(one) === Number(two)) return 'marks'
  const values = VALUE.test(one) && VALUE.test(two)
  if (plainOf(one) === plainOf(two)) return values ? 'values' : 'marks'
  const [key, same] = [one, two].map((word) => /^(.+?)=./.exec(word)?.[1])
  if (values || (key !== undefined && key === same)) return 'values'
  return CODE.test(one) || CODE.test(two) ? 'code' : null
}

/** Paths, names of buckets, units with a sign: a letter more is another one. */
const CODE = /[^\p{L}\p{N}'\u2019]/u

/** A number with its sign, range and unit, or an offset from UTC. */
const VALUE = /^(?:utc|gmt)?[-+^~<>=≤≥]*\d[\d.,:]*(?:s|mo|b|bit|%)?$/
const OPERATOR = /^[-+*/%<>=!~^&|]+$/

/** Without marks and case: what remains of `-v`, `/Data` and `!important`. */
function plainOf(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Words of recent texts: an observation is compared with ten neighbours, in several ways. */
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

/** The words of a text with numbers, units and notation made alike, for comparing. Commas and the like count: they can turn a sentence round. */
function makeAlike(text: string): string[] {
  const spoken = CONTRACTIONS.reduce((rest, [from, to]) => rest.replace(from, to), text.normalize('NFKC'))
  return alikeQuantities(spoken)
    .split(/\s+/)
    .flatMap((word, i, all) => [lower(bare(word)), ...(i < all.length - 1 ? (/[,;:]$/.exec(word) ?? []) : [])])
    .filter((word) => word !== '' && !EMPTY.has(word))
}

/** A word without the marks around it, and a version without its `v`. A mark in quotes is what is meant, and stays. */
function bare(word: string): string {
  const inner = word.replace(/^(?:[("'`“”‘[]|[~≈](?=\d))+|[)"'`“”’\],;:.!?]+$/g, '').replace(/^v(?=\d+(?:\.\d+)*$)/, '')
  return inner === '' && /["'`“”‘’]/.test(word) ? word.replace(/[.!?]$/, '') : inner
}

/** Lower case, but for what is code: `-x` and `-X`, `/Data` and `/data` are two. */
function lower(word: string): string {
  return /^-{1,2}\w|[/\\_~$=@<>]|\.\w/.test(word) && !/^\d/.test(word) ? word : word.toLowerCase()
}
