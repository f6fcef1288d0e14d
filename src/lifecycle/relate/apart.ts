import { alike } from './wording.ts'

/** A thing identified by its number: `port 903`, `team 3`, `container 2`. */
const COUNTED =
  /^(?:ports?|team|container|node|server|host|replica|shard|rack|worker|proxy|machine|zone|room|slot|disk|gpu|queue|tenant|line|step|stage|phase|week|sprint|floor|camera|sensor|device|channel|vlan|bay|table|unit|customer|user|account|job|ticket|issue|build|cluster|region|instance|pod|vm|partition|batch|run|case)$/
/**
 * The stem of a name that ends in a short suffix or a number: `worker-` of `worker-a`, `orders.` of `orders.eu`, `ff_`
 * of `ff_50`.
 */
const NAMED = /^([a-z][a-z0-9]*[-_./]?)(?:\d+|(?<=[-_./])[a-z]{1,3})$/
/** The subject is among the first words; `the` and `of` do not count. */
const SUBJECT = 3

/**
 * Whether two texts make the same kind of statement about two things: `Port 903 is team 3's` and `Port 904 is team
 * 4's`.
 */
export function isParallel(a: string, b: string): boolean {
  const [one, two] = [alike(a), alike(b)]
  if (areNumberedApart(one, two)) return true
  if (one.length !== two.length) return false
  const places = one.flatMap((word, i) => (word === two[i] ? [] : [i]))
  const first = places[0]
  if (first === undefined || first >= SUBJECT || one.toSorted().join(' ') === two.toSorted().join(' ')) return false
  const [kind, other] = [kindOf(first, one), kindOf(first, two)]
  // More than the name of the subject differs: the statement does too.
  return kind !== null && kind === other && places.some((place, i) => i > 0 && place !== places[i - 1]! + 1)
}

/** The same in different wording: both have two kinds of numbered things, and no number matches. */
function areNumberedApart(one: readonly string[], two: readonly string[]): boolean {
  const numbersOf = (words: readonly string[], kind: string) =>
    words.flatMap((word, i) => (words[i - 1] === kind ? (/^(\d+)(?:['\u2019]s)?$/.exec(word)?.[1] ?? []) : []))
  const kinds = [...new Set(one)].filter(
    (word) => COUNTED.test(word) && numbersOf(one, word).length > 0 && numbersOf(two, word).length > 0,
  )
  return (
    kinds.length > 1 &&
    kinds.every((kind) => numbersOf(one, kind).every((number) => !numbersOf(two, kind).includes(number)))
  )
}

function kindOf(place: number, words: readonly string[]): string | null {
  const word = words[place]!.toLowerCase()
  const before = words[place - 1] ?? ''
  if (/^\d+$/.test(word)) return COUNTED.test(before) ? before : null
  return NAMED.exec(word)?.[1] ?? null
}

/** Signals one of several: `allows`, `can be exported as`, `works with`. */
const OF_SEVERAL =
  /\b(?:allows?|accepts?|supports?|permits?|trusts?|exposes|blocks|ignores|denies|checks|watch(?:es)?|monitors?|scans?|audits?|validates?|covers?|includes?|contains?|handles?|understands?|recogni[sz]es|triggers?|publishes|exists? for|lets|(?:works?|login|integrates?|compatible) with|(?:can|may) be \w+(?: (?:as|to|from|with|by|in|on|via|through))?|(?:can|may) (?!be\b)\w+|(?:is|are) (?:(?:read|used|caused) by|open (?:to|for|from)|an? (?:user|owner|member|consumer|client|cause|reviewer) of)|(?:fails?|breaks|crashes|hangs|(?:is|are) (?:sent|called|triggered|raised)) (?:when|if|on)|open)$/i
/** The same for the subject: `Zoe is a maintainer of the CLI`. */
const ONE_OF =
  /^(?:(?:is|are) (?:an?|one of(?: the| our)?) (?:co-?)?(?:maintainer|owner|member|reviewer|approver|admin|user|consumer|subscriber|client|partner|contributor|cause|reason)s?|can|may|(?:is|are) (?:open|allowed|supported|accepted|trusted))\b/i
/** Makes a statement about everything or about exactly one thing. */
const OF_ONE =
  /\b(?:only|sole|solely|just|exactly|instead|no|not|never|nobody|nothing|none|cannot|without|rejects?|refuses?|maximum|minimum|at (?:most|least)|up to|and up|or (?:newer|later|higher|above)|limit|default|current|currently|now|primary|main|all|every|any|most|few|both|always|rather|until|before|after|first|last|everyone|everybody|anyone|some|half)\b|n['\u2019]t\b|[,;=\u2014]|: /i
const ALSO = /,? \b(?:too|as well)(?=[.!?]*$)|\b(?:also|additionally) /gi
const ADMITS = /\b(?:allow|permit|trust|accept)(?:s|ed)?\b/i
const ADDRESS = /[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b/g
const MOST_WORDS = 4
/** Only names can be one of several; a bare number is a measure. */
const NUMBERED =
  /\b(?:ports?|python|node|nodejs|java|ruby|go|php|tls|version|postgres|mysql|ubuntu|debian|android|ios|week) v?\d+(?:\.\d+)*$/i

/** Whether two texts name two members of a set: open ports, allowed origins, export formats. */
export function areOfSeveral(a: string, b: string): boolean {
  if (OF_ONE.test(a) || OF_ONE.test(b)) return false
  if (ADMITS.test(a) && ADMITS.test(b)) {
    const [here, there] = [a, b].map((text) => text.toLowerCase().match(ADDRESS) ?? [])
    if (here!.length === 1 && there!.length === 1) return here![0] !== there![0]
  }
  const [one, two] = [a, b].map((text) =>
    text
      .replace(ALSO, '')
      .replace(/[.!?]+$/, '')
      .split(/\s+/),
  )
  const [start, end] = shared(one!, two!)
  const slots = [one!, two!].map((words) => words.slice(start, words.length - end))
  if (slots.some(({ length }) => length === 0 || length > MOST_WORDS)) return false
  const before = one!.slice(0, start).join(' ')
  if (slots.some(([word]) => /^[-+~<>]?\d/.test(word!) && !NUMBERED.test(`${before} ${word}`))) return false
  const after = one!.slice(one!.length - end).join(' ')
  // `20 as well` adds one, whatever the statement is.
  if (a.replace(ALSO, '') !== a || b.replace(ALSO, '') !== b) return start + end >= MOST_WORDS
  if (start < SUBJECT && ONE_OF.test(after)) return true
  const said = before.replace(/ (?:the|an?|our|its|ports?|python|node|tls)$/i, '')
  return OF_SEVERAL.test(said) && (end === 0 || /^(?:in|on|for|from|at|of|by|to|with|through)\b/i.test(after))
}

/** The number of words two texts share at the start and at the end. */
function shared(one: readonly string[], two: readonly string[]): [start: number, end: number] {
  const most = Math.min(one.length, two.length)
  const same = (i: number, j: number) => one[i]!.toLowerCase() === two[j]!.toLowerCase()
  let [start, end] = [0, 0]
  while (start < most && same(start, start)) start++
  while (end < most - start && same(one.length - 1 - end, two.length - 1 - end)) end++
  return [start, end]
}

const IN_ENVIRONMENT =
  /\b(?:in|on|for)\s+(production|prod|staging|development|dev|testing|test|qa|sandbox|ci|preview|canary|the editor)\b|^(production|prod|staging|ci)\b/gi
const IN_VERSION = /\bin\s+(?:version\s+|release\s+)?v?(\d+\.\d+(?:\.\d+)*)\b/gi
const EVENT =
  '(?:the\\s+)?(upgrade|update|migration|change|release|switch|move|rewrite|patch|fix|rollout|incident|(?:version\\s+|v)?\\d+(?:\\.\\d+)+)'
const BEFORE = new RegExp(`\\b(?:before|until|prior to)\\s+${EVENT}\\b`, 'i')
const SINCE = new RegExp(`(?:\\b(?:since|as of)|^(?:after|from))\\s+${EVENT}\\b`, 'i')

/** Says when something ends, or limits where it applies. */
const ENDS = /\b(?:only|too|as well|dropped|removed|goes away|not before|not earlier)\b/i

/** Whether each text applies to an environment, version or time that the other does not. */
export function holdElsewhere(a: string, b: string): boolean {
  if (ENDS.test(a) || ENDS.test(b)) return false
  return (
    areApart(IN_ENVIRONMENT, a, b) || areApart(IN_VERSION, a, b) || isBeforeAndSince(a, b) || isBeforeAndSince(b, a)
  )
}

/** Only one text names a place, or both name the same. Texts that differ only in that give another value for it. */
function areApart(pattern: RegExp, a: string, b: string): boolean {
  const placesOf = (text: string) =>
    [...text.matchAll(pattern)].map(([, inside, first]) => (inside ?? first)!.toLowerCase())
  const [one, two] = [placesOf(a), placesOf(b)]
  if (one.length === 0 || two.length === 0 || isSameFrame(a, b, one, two)) return false
  const speaks = (text: string, place: string) => text.toLowerCase().includes(place.slice(0, 4))
  return !one.some((place) => speaks(b, place)) && !two.some((place) => speaks(a, place))
}

function isSameFrame(a: string, b: string, one: readonly string[], two: readonly string[]): boolean {
  const without = (text: string, places: readonly string[]) =>
    places.reduce((rest, place) => rest.replace(place, ''), text.toLowerCase())
  return without(a, one) === without(b, two)
}

/** `Before the upgrade 3 s` and `since the upgrade 200 ms`, about the same event. */
function isBeforeAndSince(a: string, b: string): boolean {
  const event = BEFORE.exec(a)?.[1]?.toLowerCase()
  return event !== undefined && event === SINCE.exec(b)?.[1]?.toLowerCase()
}

const NEED = /\b(?:must|has to|have to|needs?|needed|requires?|required|make sure|only (?:after|once|when|with))\b/i
const FAILURE =
  /\b(?:no|not|never|nobody|none|nothing|cannot|fails?|breaks?|crash(?:es)?|errors?|lost|loses|refuses?|rejected|refused|impossible|useless|stale|hangs?|stops?|dies)\b|n['\u2019]t\b/i
const LACK = /\b(?:without|until|unless|otherwise|or else|if not)\b/i

/**
 * Whether one text states a requirement and the other the failure without it: `X must be reloaded after Y` and `Y has
 * no effect until X is reloaded`.
 */
export function isNeedAndFailure(a: string, b: string): boolean {
  const needs = (text: string) => NEED.test(text) && !FAILURE.test(text) && !LACK.test(text)
  const fails = (text: string) => LACK.test(text) && FAILURE.test(text) && !NEED.test(text)
  return (needs(a) && fails(b)) || (needs(b) && fails(a))
}
