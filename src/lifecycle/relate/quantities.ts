/** Numbers written as words. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen twenty`
    .split(/\s+/)
    .map((word, value): [string, number] => [word, value])
    .concat(['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].map((word, i) => [word, 30 + 10 * i])),
)
const TENS = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety'
const ONES = 'one|two|three|four|five|six|seven|eight|nine'
const MULTIPLES: Record<string, number> = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 }

/** Unit names, with their base unit and factor. */
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
/** Units only if directly after the number, without a space. */
const CLOSE = /^[mdwk]$/
/** After a capital letter, b and B are different units: `100 Mb/s` and `100 MB/s`. */
const BITS = /^[KMGT]b$/

/** No letter may follow, so `m` does not match the start of `min`. */
const UNIT = [...UNITS.keys()].join('|')
const LONG_UNIT = 'minute|hour|day|week|month|year'
/** A number with its unit, not inside a version, address, path, port, issue or option; `a` only before a unit. */
const QUANTITY = new RegExp(
  `(?<![\\w.:/#+-])(\\d[\\d,_]*(?:\\.\\d+)?|(?:${TENS})-(?:${ONES})|${[...NUMBER_WORDS.keys()].join('|')}|half(?=\\san\\shour\\b)|an?(?=\\s(?:${LONG_UNIT}|${Object.keys(MULTIPLES).join('|')})\\b))` +
    `(?:\\s(${Object.keys(MULTIPLES).join('|')}))?(?:\\san(?=\\shour\\b))?(?:([ -]?)(${UNIT}))?(?![\\w%]|[.,:/-]\\d)`,
  'gi',
)
/** Times of day, including noon and midnight. */
const CLOCK = /\b(?:(1[0-2]|0?[1-9])(?::([0-5]\d))?\s?([ap])\.?m\b\.?|noon\b|midnight\b)/gi
/** `9:00`, but not inside something longer. */
const EARLY = /(?<![\w:.])(\d:[0-5]\d)(?!\w|[:.]\d)/g
/** `1m 30s`, `1 h 30 min`, `2 hours and 5 minutes`: the second unit is the next smaller one. */
const COMPOUND = new RegExp(
  [
    ['d|days?', 'h|hrs?|hours?'],
    ['h|hrs?|hours?', 'm|mins?|minutes?'],
    ['m|mins?|minutes?', 's|secs?|seconds?'],
  ]
    .map(([large, small]) => `(?<![\\w.])(\\d+)\\s?(${large})(?:,?\\s(?:and\\s)?)?(\\d+)\\s?(${small})\\b`)
    .join('|'),
  'gi',
)
/** `every year` means every twelve months. */
const EVERY = new RegExp(`\\b(every|each)\\s(${LONG_UNIT})\\b`, 'gi')

/** A text with normalised quantities and times: `1 minute` and `60 seconds` become `60s`, `9 pm` becomes `21:00`. */
export function alikeQuantities(text: string): string {
  return text
    .replace(CLOCK, clock)
    .replace(EARLY, '0$1')
    .replace(COMPOUND, (_, ...parts: (string | undefined)[]) => compound(parts.filter((each) => each !== undefined)))
    .replace(EVERY, '$1 1 $2')
    .replace(/\bhalf(?=\s(?:of|the)\b)/gi, '50%')
    .replace(QUANTITY, (written, ...parts: string[]) => canonical(parts) ?? written)
}

function compound([large, above, small, below]: readonly string[]): string {
  return `${Number(large) * UNITS.get(above!.toLowerCase())![0] + Number(small) * UNITS.get(below!.toLowerCase())![0]}s`
}

function clock(written: string, hour?: string, minutes?: string, half?: string): string {
  if (hour === undefined) return written.toLowerCase() === 'noon' ? '12:00' : '00:00'
  const hours = (Number(hour) % 12) + (half!.toLowerCase() === 'p' ? 12 : 0)
  return `${String(hours).padStart(2, '0')}:${minutes ?? '00'}`
}

/** `60s` for `1 minute`; null if the number may be a version. */
function canonical([number = '', multiple, space = '', unit]: readonly (string | undefined)[]): string | null {
  const word = number.toLowerCase()
  const digits = /^\d{1,3}(?:[,_]\d{3})+$/.test(word) ? word.replace(/[,_]/g, '') : word
  const value = spelt(word) ?? Number(digits)
  // `0755` and `0012` are names, not numbers.
  if (Number.isNaN(value) || /^0\d/.test(word)) return null
  const times = MULTIPLES[multiple?.toLowerCase() ?? ''] ?? 1
  if (unit === undefined) return /[.,_]/.test(digits) && times === 1 ? null : String(value * times)
  // `5M` means five million, `5m` five minutes.
  if (unit === 'M') return null
  const name = unit.toLowerCase()
  if (space !== '' && CLOSE.test(name)) return null
  const [factor, base] = UNITS.get(name)!
  // Twelve digits distinguish values and hide binary rounding.
  const total = Number((binary(value * times, name) * factor).toPrecision(12))
  return `${total}${BITS.test(unit) ? 'bit' : base}`
}

function spelt(word: string): number | undefined {
  if (word === 'half') return 0.5
  if (/^an?$/.test(word)) return 1
  const [tens, ones] = word.split('-')
  const first = NUMBER_WORDS.get(tens!)
  return ones === undefined || first === undefined ? first : first + NUMBER_WORDS.get(ones)!
}

/** 1024 MB means one GB, and 1536 one and a half. */
function binary(value: number, unit: string): number {
  return /^[kmg]b$/.test(unit) && value >= 1024 && value % 128 === 0 ? (value / 1024) * 1000 : value
}
