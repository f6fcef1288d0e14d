/** A time named in a question: a span, or a month in any year. */
export interface NamedTime {
  text: string
  holds(time: number): boolean
}

const DAY = 86_400_000
const MONTHS = [
  'january|januar|janvier|enero',
  'february|februar|février|fevrier|febrero',
  'march|märz|maerz|mars|marzo',
  'april|avril|abril',
  'may|mai|mayo',
  'june|juni|juin|junio',
  'july|juli|juillet|julio',
  'august|août|aout|agosto',
  'september|septembre|septiembre',
  'october|oktober|octobre|octubre',
  'november|novembre|noviembre',
  'december|dezember|décembre|decembre|diciembre',
]
const MONTH = MONTHS.join('|')
const DATES = new RegExp(
  [
    String.raw`\b(?<iso>\d{4}-\d{2}-\d{2})\b`,
    String.raw`(?<cjkYear>\d{4})年(?:(?<cjkMonthOfYear>\d{1,2})月)?`,
    String.raw`(?<cjkMonth>\d{1,2})月(?:(?<cjkDay>\d{1,2})日)?`,
    String.raw`\b(?<dayFirst>\d{1,2})(?:st|nd|rd|th|\.)? (?:of |de )?(?<monthAfter>${MONTH})\b(?:,? (?:de )?(?<yearA>\d{4})\b)?`,
    String.raw`\b(?<monthFirst>${MONTH}) (?<dayAfter>\d{1,2})(?:st|nd|rd|th)?\b(?!\d)(?:,? (?<yearB>\d{4})\b)?`,
    String.raw`\b(?<month>${MONTH}),? (?:de )?(?<yearC>\d{4})\b`,
    String.raw`\b(?:in|im|en|during|since|seit|depuis|desde|last|early|late|mid) (?<monthAlone>${MONTH})\b(?!,? (?:de )?\d)`,
    String.raw`\b(?:in|im jahr|en|during|of) (?<year>(?:19|20)\d{2})\b`,
  ].join('|'),
  'g',
)

/** Words for past spans, with the number of days before today at which each begins and ends. */
const SPANS: readonly (readonly [RegExp, (now: Date) => readonly [number, number]])[] = [
  [/\b(?:today|heute|aujourd['’]hui|hoy)\b|今日|本日/, (now) => days(now, 0, 1)],
  [/\b(?:yesterday|gestern|hier|ayer)\b|昨日/, (now) => days(now, -1, 1)],
  [
    /\b(?:last|letzte|vorige|vergangene) (?:week|woche)\b|semaine derni[èe]re|semana pasada|先週/,
    (now) => week(now, -1),
  ],
  [/\b(?:this|diese) (?:week|woche)\b|cette semaine|esta semana|今週/, (now) => week(now, 0)],
  [/\b(?:last|letzten|vorigen) (?:month|monat)\b|mois dernier|mes pasado|先月/, (now) => months(now, -1, 1)],
  [/\b(?:this|diesen) (?:month|monat)\b|ce mois|este mes|今月/, (now) => months(now, 0, 1)],
  [/\b(?:last year|letztes jahr|voriges jahr)\b|année dernière|año pasado|去年/, (now) => years(now, -1)],
  [/\b(?:this year|dieses jahr)\b|cette année|este año|今年/, (now) => years(now, 0)],
]
const AGO =
  /\b(?:(?<many>\d{1,3})|an?|one|two|three|a few) (?<unit>day|week|month|year)s? ago\b|\b(?:in the )?(?:last|past) (?<past>\d{1,3}) (?<pastUnit>day|week|month|year)s?\b/g
const UNIT_DAYS: Record<string, number> = { day: 1, week: 7, month: 30, year: 365 }
const COUNTS: Record<string, number> = { two: 2, three: 3, 'a few': 3 }

/** The times a question names, relative to `now`. In lower case: patterns that ignore it take a new process three times as long to compile. */
export function namedTimes(question: string, now: Date): NamedTime[] {
  const query = question.toLowerCase()
  const times: NamedTime[] = []
  for (const [pattern, spanOf] of SPANS) {
    const text = pattern.exec(query)?.[0]
    if (text !== undefined) times.push(span(text, spanOf(now)))
  }
  for (const match of query.matchAll(AGO)) times.push(ago(match, now))
  for (const match of query.matchAll(DATES)) {
    const time = date(match)
    if (time !== null) times.push(time)
  }
  return times
}

function span(text: string, [from, to]: readonly [number, number]): NamedTime {
  return { text, holds: (time) => time >= from && time < to }
}

/** "Three weeks ago" allows half a unit either way; "the last three weeks" are all of them. */
function ago(match: RegExpMatchArray, now: Date): NamedTime {
  const { many, unit, past, pastUnit } = match.groups!
  const step = UNIT_DAYS[(unit ?? pastUnit)!]!
  if (past !== undefined) return span(match[0], days(now, -Number(past) * step, Number(past) * step + 1))
  const word = /^(?:a few|two|three)/.exec(match[0])?.[0] ?? ''
  const count = many === undefined ? (COUNTS[word] ?? 1) : Number(many)
  const slack = Math.ceil(step / 2)
  return span(match[0], days(now, -count * step - slack + 1, 2 * slack))
}

function date({ 0: text, groups }: RegExpMatchArray): NamedTime | null {
  const { iso, cjkYear, cjkMonthOfYear, cjkMonth, cjkDay, dayFirst, monthAfter, yearA } = groups!
  const { monthFirst, dayAfter, yearB, month, yearC, monthAlone, year } = groups!
  if (iso !== undefined) return dayOf(text, ...(iso.split('-').map(Number) as [number, number, number]))
  const monthNumber = cjkMonthOfYear ?? cjkMonth ?? monthNumberOf(monthAfter ?? monthFirst ?? month ?? monthAlone)
  const ofMonth = monthNumber === undefined ? null : Number(monthNumber)
  const ofYear = cjkYear ?? yearA ?? yearB ?? yearC ?? year
  const day = cjkDay ?? dayFirst ?? dayAfter
  if (ofMonth === null) return ofYear === undefined ? null : span(text, yearSpan(Number(ofYear)))
  if (ofMonth < 1 || ofMonth > 12 || Number(day ?? 1) > 31) return null
  if (ofYear === undefined) return recurring(text, ofMonth, day === undefined ? null : Number(day))
  if (day !== undefined) return dayOf(text, Number(ofYear), ofMonth, Number(day))
  return span(text, [Date.UTC(Number(ofYear), ofMonth - 1), Date.UTC(Number(ofYear), ofMonth)])
}

/** Events are recorded on the same day, or the day after. */
function dayOf(text: string, year: number, month: number, day: number): NamedTime {
  const from = Date.UTC(year, month - 1, day)
  return span(text, [from, from + 2 * DAY])
}

function recurring(text: string, month: number, day: number | null): NamedTime {
  const holds = (time: number) => {
    const at = new Date(time)
    if (day === null) return at.getUTCMonth() + 1 === month
    const from = Date.UTC(at.getUTCFullYear(), month - 1, day)
    return time >= from && time < from + 2 * DAY
  }
  return { text, holds }
}

function monthNumberOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined
  return MONTHS.findIndex((names) => names.split('|').includes(name)) + 1
}

function startOfDay(now: Date): number {
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())
}

function days(now: Date, from: number, count: number): [number, number] {
  const start = startOfDay(now) + from * DAY
  return [start, start + count * DAY]
}

/** From Monday to Monday. */
function week(now: Date, offset: number): [number, number] {
  return days(now, -((now.getUTCDay() + 6) % 7) + 7 * offset, 7)
}

function months(now: Date, offset: number, count: number): [number, number] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + offset]
  return [Date.UTC(year, month), Date.UTC(year, month + count)]
}

function years(now: Date, offset: number): [number, number] {
  return yearSpan(now.getUTCFullYear() + offset)
}

function yearSpan(year: number): [number, number] {
  return [Date.UTC(year, 0), Date.UTC(year + 1, 0)]
}
