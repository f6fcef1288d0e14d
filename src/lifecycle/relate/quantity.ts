import type { Token } from './normalize.ts'

type Bound = 'exact' | 'roughly' | 'atleast' | 'atmost'

const BOUND_WORDS: ReadonlyMap<string, Bound> = new Map([
  ['atleast', 'atleast'],
  ['morethan', 'atleast'],
  ['atmost', 'atmost'],
  ['lessthan', 'atmost'],
  ['limit', 'atmost'],
  ['roughly', 'roughly'],
])

/** A number with what it measures, in base units: seconds, bytes, minutes of the day, per second. */
export interface Quantity {
  dimension: 'duration' | 'period' | 'clock' | 'size' | 'percent' | 'rate' | 'port' | 'version' | 'count' | 'any'
  /** What is counted or versioned, as a concept; empty when the text does not say. */
  subject: string
  bound: Bound
  low: number
  high: number
  /** As it reads in a reason. */
  text: string
}

const SECONDS = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
}
const TIME_UNITS = spell({
  'ms millisecond milliseconds': 0.001,
  's sec secs second seconds': SECONDS.second,
  'm min mins minute minutes': SECONDS.minute,
  'h hr hrs hour hours': SECONDS.hour,
  'd day days night nights': SECONDS.day,
  'w week weeks': SECONDS.week,
  'month months': SECONDS.month,
  'y year years': SECONDS.year,
})
const SIZE_UNITS = spell({
  'b byte bytes': 1,
  'kb kib ki kilobyte kilobytes': 2 ** 10,
  'mb mib mi megabyte megabytes meg megs': 2 ** 20,
  'g gb gib gi gigabyte gigabytes gig gigs': 2 ** 30,
  'tb tib ti terabyte terabytes': 2 ** 40,
})
const PERCENT = new Set(['%', 'percent', 'pct'])

function spell(units: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(units).flatMap(([names, size]) => names.split(' ').map((name): [string, number] => [name, size])),
  )
}

/** What is needed is the least that will do; what must be, is so. */
const AMOUNTS: ReadonlySet<string> = new Set(['size', 'version', 'count'])
const OBLIGATION = /^(?:must|shall|should|ought)$/

export function isTimeUnit(word: string): boolean {
  return TIME_UNITS.has(word)
}

/** The quantities of a statement, and the positions of the tokens that are used up by them. */
export function readQuantities(tokens: readonly Token[]): { quantities: Quantity[]; used: Set<number> } {
  const quantities: Quantity[] = []
  const used = new Set<number>()
  const needs = tokens.some((token) => token.concept === 'need' && token.sign === 1 && !OBLIGATION.test(token.text))
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.text === 'unlimited') {
      quantities.push({
        dimension: 'any',
        subject: '',
        bound: 'exact',
        low: Infinity,
        high: Infinity,
        text: 'unlimited',
      })
      continue
    }
    if (token.shape !== 'number' && token.shape !== 'version' && token.shape !== 'clock') continue
    const bound = boundAround(tokens, at)
    const { end, ...measured } = measure(tokens, at)
    for (let index = at; index <= end; index++) used.add(index)
    const floor = needs && bound === 'exact' && AMOUNTS.has(measured.dimension)
    quantities.push({ ...measured, bound: floor ? 'atleast' : bound, text: phrase(tokens, at, end, bound) })
  }
  dropImplied(quantities, tokens)
  const interval = tokens.findIndex((token) => token.concept === 'interval')
  if (interval >= 0) {
    used.add(interval)
    for (const quantity of quantities) if (quantity.dimension === 'duration') quantity.dimension = 'period'
  }
  tokens.forEach((token, index) => {
    if (token.concept === 'port' || token.text === 'version' || token.text === 'every') used.add(index)
  })
  return { quantities, used }
}

/** A time of day says daily, a weekday says weekly. */
function dropImplied(quantities: Quantity[], tokens: readonly Token[]): void {
  const timed = quantities.some((quantity) => quantity.dimension === 'clock')
  const weekday = tokens.some((token) => token.kind === 'weekday')
  const implied = (quantity: Quantity) =>
    quantity.dimension === 'period' &&
    ((timed && quantity.low === SECONDS.day) || (weekday && quantity.low === SECONDS.week))
  for (let at = quantities.length - 1; at >= 0; at--) if (implied(quantities[at] as Quantity)) quantities.splice(at, 1)
}

type Measured = Pick<Quantity, 'dimension' | 'subject' | 'low' | 'high'> & { end: number }

function measure(tokens: readonly Token[], at: number): Measured {
  const token = tokens[at] as Token
  const before = tokens[at - 1]
  const next = tokens[at + 1]
  const unit = next?.text ?? ''
  if (token.shape === 'clock') return point('clock', minutesOfDay(token.text), at)
  const number = Number.parseFloat(token.text.replace(/^v/, ''))
  const time = TIME_UNITS.get(unit)
  if (time !== undefined) return point(before?.text === 'every' ? 'period' : 'duration', number * time, at + 1)
  const size = SIZE_UNITS.get(unit)
  if (size !== undefined) return point('size', number * size, at + 1)
  if (PERCENT.has(unit)) return point('percent', number, at + 1)
  if (token.shape === 'version') return version(token.text, subjectBefore(tokens, at), at)
  if (isPort(tokens, at)) return point('port', number, at)
  if (before !== undefined && (before.named || before.kind !== null || before.text === 'version') && !isCounted(next)) {
    return version(token.text, before.text === 'version' ? subjectBefore(tokens, at - 1) : before.concept, at)
  }
  return count(tokens, at, number)
}

function count(tokens: readonly Token[], at: number, number: number): Measured {
  const thousands = tokens[at + 1]?.text === 'k'
  const value = thousands ? number * 1000 : number
  const end = thousands ? at + 1 : at
  const noun = tokens[end + 1]
  const [link, unit] = [tokens[end + 2]?.text ?? '', tokens[end + 3]?.text ?? '']
  const period = TIME_UNITS.get(
    /^(?:per|a|an|each|every)$/.test(link) ? (unit === '1' ? (tokens[end + 4]?.text ?? '') : unit) : link,
  )
  const subject = isCounted(noun) ? noun.concept : ''
  if (period !== undefined && noun !== undefined) {
    return { ...point('rate', value / period, TIME_UNITS.has(link) ? end + 2 : end + 3), subject, end: end }
  }
  return { ...point('count', value, end), subject }
}

function isCounted(token: Token | undefined): token is Token {
  return token !== undefined && token.shape === 'word' && (token.role === 'plain' || token.role === 'thing')
}

function subjectBefore(tokens: readonly Token[], at: number): string {
  const before = tokens[at - 1]
  return before !== undefined && (before.named || before.kind !== null) ? before.concept : ''
}

function isPort(tokens: readonly Token[], at: number): boolean {
  const near = tokens.slice(Math.max(0, at - 3), at + 2)
  if (near.some((token) => token.text === 'port' || token.text === 'ports')) return true
  const listens = tokens.slice(0, at).some((token) => token.concept === 'listen')
  return listens && ['on', 'at', ':'].includes(tokens[at - 1]?.text ?? '') && Number(tokens[at]?.text) >= 22
}

function minutesOfDay(text: string): number {
  const [hour = 0, minute = 0] = (text.match(/\d+/g) ?? []).map(Number)
  const afternoon = /p\.?m/.test(text)
  const half = /[ap]\.?m/.test(text) ? hour % 12 : hour
  return (half + (afternoon ? 12 : 0)) * 60 + minute
}

function point(dimension: Quantity['dimension'], value: number, end: number): Measured {
  return { dimension, subject: '', low: value, high: value, end }
}

/** `14` and `14.x` are every 14, `14.2` is every 14.2: a version is a range. */
function version(text: string, subject: string, end: number): Measured {
  const parts = (text.replace(/-.*$/, '').match(/\d+/g) ?? []).slice(0, 3).map(Number)
  const encode = (fill: number) => [0, 1, 2].reduce((sum, index) => sum * 10_000 + (parts[index] ?? fill), 0)
  return { dimension: 'version', subject, low: encode(0), high: encode(9999), end }
}

function boundAround(tokens: readonly Token[], at: number): Bound {
  const after = tokens.slice(at + 1, at + 4).map((token) => token.text)
  if (after.includes('ormore')) return 'atleast'
  if (after.includes('orless')) return 'atmost'
  if (tokens[at - 1]?.text === 'only') return 'atmost'
  const number = tokens.findLastIndex((token, index) => index < at && token.shape === 'number')
  const before = tokens.slice(number + 1, at)
  return before.reduce<Bound>(
    (bound, { text, concept }) => BOUND_WORDS.get(text) ?? BOUND_WORDS.get(concept) ?? bound,
    'exact',
  )
}

function phrase(tokens: readonly Token[], from: number, to: number, bound: Bound): string {
  const words = tokens.slice(from, to + 1).map((token) => token.text)
  const prefix = { exact: '', roughly: 'about ', atleast: 'at least ', atmost: 'at most ' }[bound]
  return prefix + words.join(' ').replace(/^(\d+) ([a-z]{1,2}|%)$/, '$1$2')
}

/** How two quantities of one dimension stand to each other. */
export function compareQuantities(a: Quantity, b: Quantity): 'equal' | 'compatible' | 'different' {
  if (a.dimension === 'any' && b.dimension === 'any') return 'equal'
  if (a.dimension === 'any' || b.dimension === 'any') return 'different'
  const slack = a.bound === 'roughly' || b.bound === 'roughly' ? 0.15 : 0.02
  const near = (x: number, y: number) => x === y || Math.abs(x - y) <= slack * Math.max(Math.abs(x), Math.abs(y))
  if (a.dimension !== b.dimension) return compareText(a, b)
  const whole = a.dimension === 'port' || a.dimension === 'clock' || a.dimension === 'version'
  if (whole ? a.low === b.low && a.high === b.high : near(a.low, b.low)) return 'equal'
  const [[lowA, highA], [lowB, highB]] = [range(a), range(b)]
  const limits = (a.bound === 'atleast' || a.bound === 'atmost') && a.bound === b.bound
  if (limits) return 'different'
  return lowA <= highB && lowB <= highA ? 'compatible' : 'different'
}

/** A bare number against a version or a port: only the digits can be compared. */
function compareText(a: Quantity, b: Quantity): 'equal' | 'compatible' | 'different' {
  const [one, two] = [a, b].map((quantity) => Number.parseFloat(/[\d.]+/.exec(quantity.text)?.[0] ?? ''))
  if (one === two) return 'equal'
  return a.bound === b.bound ? 'different' : 'compatible'
}

function range(quantity: Quantity): [number, number] {
  if (quantity.bound === 'atleast') return [quantity.low, Infinity]
  if (quantity.bound === 'atmost') return [-Infinity, quantity.high]
  return [quantity.low, quantity.high]
}

/** Whether two quantities measure the same thing, as far as the text says. */
export function comparable(a: Quantity, b: Quantity): boolean {
  const [endless, measured] = a.dimension === 'any' ? [a, b] : [b, a]
  if (endless.dimension === 'any')
    return measured.dimension !== 'clock' && (endless.subject === '' || endless.subject === measured.subject)
  if (isBare(a) || isBare(b)) return WHOLE.has(a.dimension) && WHOLE.has(b.dimension)
  if (a.dimension !== b.dimension) return false
  return a.subject === b.subject || a.subject === '' || b.subject === ''
}

/** Dimensions that a number without a unit can belong to. */
const WHOLE: ReadonlySet<string> = new Set(['count', 'version', 'port'])

function isBare(quantity: Quantity): boolean {
  return quantity.dimension === 'count' && quantity.subject === ''
}
