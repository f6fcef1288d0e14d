import { alike } from './wording.ts'

/** A thing that is told apart by its number: `port 903`, `team 3`, `container 2`. */
const COUNTED =
  /^(?:ports?|team|container|node|server|host|replica|shard|rack|worker|proxy|machine|zone|room|slot|disk|gpu|queue|tenant|line|step|stage|phase|week|sprint|floor|camera|sensor|device|channel|vlan|bay|table|unit|customer|user|account|job|ticket|issue|build|cluster|region|instance|pod|vm|partition|batch|run|case)$/
/** What a name begins with that ends in a short mark or a number: `worker-` of `worker-a`, `orders.` of `orders.eu`, `ff_` of `ff_50`. */
const NAMED = /^([a-z][a-z0-9]*[-_./]?)(?:\d+|(?<=[-_./])[a-z]{1,3})$/
/** The subject stands among the first words; `the` and `of` are not counted. */
const SUBJECT = 3

/** Whether two texts say the same kind of thing of two things: `Port 903 is team 3's` and `Port 904 is team 4's`. */
export function isParallel(a: string, b: string): boolean {
  const [one, two] = [alike(a), alike(b)]
  if (one.length !== two.length) return false
  const places = one.flatMap((word, i) => (word === two[i] ? [] : [i]))
  const first = places[0]
  if (first === undefined || first >= SUBJECT || one.toSorted().join(' ') === two.toSorted().join(' ')) return false
  const [kind, other] = [kindOf(first, one), kindOf(first, two)]
  // Not only another name for the subject: something else is said of it too.
  return kind !== null && kind === other && places.some((place, i) => i > 0 && place !== places[i - 1]! + 1)
}

function kindOf(place: number, words: readonly string[]): string | null {
  const word = words[place]!.toLowerCase()
  const before = words[place - 1] ?? ''
  if (/^\d+$/.test(word)) return COUNTED.test(before) ? before : null
  return NAMED.exec(word)?.[1] ?? null
}

/** What may hold for several at once, and is said of one of them. */
const OF_SEVERAL =
  /\b(?:allows?|accepts?|supports?|permits?|trusts?|exposes|opens?|open|allowed|supported|trusted|whitelisted|allowlisted|lets?|also|too|as well|another|second|one of)\b/i
const OF_ONE =
  /\b(?:only|solely|just|exactly|instead|no longer|not|never|rejects?|refuses?|nothing|none|maximum|minimum|at most|at least|up to|limit|and up|or (?:newer|later|higher|above)|default|current|now|primary|main)\b|n['’]t\b/i

/** Whether two texts name two of what may be several: ports that are open, origins that are allowed, versions that are supported. */
export function areOfSeveral(a: string, b: string): boolean {
  const [one, two] = [alike(a), alike(b)]
  if (one.length !== two.length || OF_ONE.test(a) || OF_ONE.test(b)) return false
  if (!OF_SEVERAL.test(a) || !OF_SEVERAL.test(b)) return false
  const places = one.flatMap((word, i) => (word === two[i] ? [] : [i]))
  const [place] = places
  return places.length === 1 && place !== undefined && isMember(place, one) && isMember(place, two)
}

/** A port, a version or an address; a number by itself is a measure. */
function isMember(place: number, words: readonly string[]): boolean {
  const word = words[place]!
  if (/^v?\d+(?:\.\d+)*$/.test(word))
    return /^(?:ports?|python|node|nodejs|java|ruby|go|php|tls|version|postgres|mysql|ubuntu|debian|android|ios)$/.test(
      words[place - 1] ?? '',
    )
  return /[a-z].*[./:@].*[a-z]/i.test(word)
}

const IN_ENVIRONMENT =
  /\b(?:in|on|for)\s+(production|prod|staging|development|dev|testing|test|qa|sandbox|ci|preview|canary|the editor)\b|^(production|prod|staging|ci)\b/gi
const IN_VERSION = /\bin\s+(?:version\s+|release\s+)?v?(\d+\.\d+(?:\.\d+)*)\b/gi
const EVENT = '(upgrade|update|migration|change|release|switch|move|rewrite|patch|fix|rollout|incident)'
const BEFORE = new RegExp(`\\b(?:before|until|prior to)\\s+the\\s+${EVENT}\\b`, 'i')
const SINCE = new RegExp(`(?:\\bsince|^after)\\s+the\\s+${EVENT}\\b`, 'i')

/** What says when something ends or where it holds alone. */
const ENDS = /\b(?:only|too|as well|dropped|removed|goes away|not before|not earlier)\b/i

/** Whether each of two texts holds in an environment, in a version or at a time where the other does not. */
export function holdElsewhere(a: string, b: string): boolean {
  if (ENDS.test(a) || ENDS.test(b)) return false
  return (
    areApart(IN_ENVIRONMENT, a, b) || areApart(IN_VERSION, a, b) || isBeforeAndSince(a, b) || isBeforeAndSince(b, a)
  )
}

/** Neither text speaks of where the other holds. What differs in that alone gives another value for it. */
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

/** `Before the upgrade 3 s` and `since the upgrade 200 ms`: of the same event. */
function isBeforeAndSince(a: string, b: string): boolean {
  const event = BEFORE.exec(a)?.[1]?.toLowerCase()
  return event !== undefined && event === SINCE.exec(b)?.[1]?.toLowerCase()
}
