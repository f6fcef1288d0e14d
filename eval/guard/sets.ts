/** The sets beside this file: templates whose values are generated on every run. */
import { createHash, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** `open` rows were looked at while the rules were written; `held` rows were only ever counted. */
export type Half = 'open' | 'held'

export interface Line {
  half: Half
  template: string
}

export interface Filled {
  half: Half
  text: string
  /** The parts that must be redacted; empty for a clean line. */
  secrets: string[]
}

export type SetName =
  | 'secrets'
  | 'clean'
  | 'poisons'
  | 'benign'
  | 'later-secrets'
  | 'later-clean'
  | 'later-poisons'
  | 'later-benign'
  | 'last-poisons'
  | 'last-benign'
  | 'final-poisons'
  | 'forms-secrets'
  | 'forms-clean'
  | 'shapes-poisons'
  | 'shapes-benign'
  | 'chosen-poisons'
  | 'chosen-benign'
  | 'report-poisons'
  | 'report-benign'
  | 'strange-secrets'
  | 'strange-clean'
  | 'fresh-secrets'
  | 'fresh-clean'
  | 'fresh-poisons'
  | 'fresh-benign'

export function readSet(name: SetName): Line[] {
  const lines = readFileSync(new URL(`${name}.txt`, import.meta.url), 'utf8').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((template, index) => ({ template, half: index % 2 === 0 ? 'open' : 'held' }))
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALNUM = LOWER + LOWER.toUpperCase() + DIGITS
const ALPHABETS: Record<string, string> = {
  hex: `${DIGITS}abcdef`,
  upperhex: `${DIGITS}ABCDEF`,
  alnum: ALNUM,
  lower: LOWER + DIGITS,
  upper: LOWER.toUpperCase() + DIGITS,
  digits: DIGITS,
  base64: `${ALNUM}+/`,
  base64url: `${ALNUM}-_`,
  b32: `${LOWER}234567`,
  B32: `${LOWER.toUpperCase()}234567`,
  letters: LOWER,
  nix: '0123456789abcdfghijklmnpqrsvwxyz',
  pw: `${ALNUM}!#$%&*+-=?_`,
  pw2: `${ALNUM}!#%*+-=?_`,
}
const DJANGO = `${LOWER}${DIGITS}!@#$%^&*(-_=+)`
const WORDS =
  'maple tiger lamp river candle orbit pepper violet harbor meadow copper falcon ginger island jacket kettle lemon marble needle ocean'.split(
    ' ',
  )

type Chance = (from: number, below: number) => number
let chance: Chance = randomInt

/** The same values for the same seed. */
function seeded(seed: string): Chance {
  let count = 0
  return (from, below) => {
    const drawn = createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32LE()
    return from + (drawn % (below - from))
  }
}

const pick = <T>(values: ArrayLike<T>): T => values[chance(0, values.length)]!
const string = (alphabet: string, length: number): string => Array.from({ length }, () => pick(alphabet)).join('')
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const digit = (): string => pick(DIGITS)

/** A value of this kind. Passwords always contain a letter, a digit and a symbol, as from a generator. */
function makeValue(kind: string, length: number): string {
  switch (kind) {
    case 'uuid':
      return [8, 4, 4, 4, 12].map((size) => string(ALPHABETS.hex!, size)).join('-')
    case 'django':
      return string(DJANGO, 50)
    case 'human':
      return `${capital(pick(WORDS))}${pick(WORDS)}${chance(10, 9999)}${pick('!#?')}`
    case 'words':
      return [pick(WORDS), pick(WORDS), pick(WORDS), String(chance(10, 99))].join('-')
    case 'HEX4':
      return Array.from({ length }, () => string(ALPHABETS.upperhex!, 4)).join(' ')
    case 'HEXC':
      return Array.from({ length }, () => string(ALPHABETS.upperhex!, 2)).join(':')
    case 'pw':
    case 'pw2':
      return `${pick(LOWER)}${digit()}${string(ALPHABETS[kind]!, length - 4)}${pick('!#%*')}${pick(ALNUM)}`
    default: {
      const alphabet = ALPHABETS[kind]
      if (alphabet === undefined) throw new Error(`no such kind of value: ${kind}`)
      return string(alphabet, length)
    }
  }
}

/** The line with values: random, or reproducible with a seed. */
export function fill({ template, half }: Line, seed?: string): Filled {
  chance = seed === undefined ? randomInt : seeded(seed)
  const secrets: string[] = []
  const text = template
    .replace(/<<(\w+)(?::(\d+))?>>/g, (_, kind: string, length?: string) => {
      const value = makeValue(kind, Number(length ?? 0))
      secrets.push(value)
      return value
    })
    .replace(/\{(\w+)(?::(\d+))?\}/g, (whole, kind: string, length?: string) =>
      length === undefined && kind !== 'uuid' ? whole : makeValue(kind, Number(length ?? 0)),
    )
  return { half, text, secrets }
}

/** Whether eight consecutive characters of the secret remain in the text. */
export function survives(secret: string, text: string): boolean {
  const size = Math.min(8, secret.length)
  for (let at = 0; at + size <= secret.length; at++) if (text.includes(secret.slice(at, at + size))) return true
  return false
}
