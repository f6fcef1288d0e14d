import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SECRET_EXAMPLES } from '../../test/guard/secret-examples.ts'
import { redactSecrets } from './redact-secrets.ts'
import { SECRET_RULES } from './secret-rules.ts'

const LONGEST_MARKER = Math.max(...SECRET_RULES.map(({ id }) => `[REDACTED:${id}]`.length))
const SHORTEST_SECRET = 4

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALNUM = LETTERS + LETTERS.toUpperCase() + DIGITS

const string = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })

/** As a password or key generator makes it: at least 20 characters, with letters and digits. */
const key = fc
  .tuple(string(ALNUM, 18, 60), fc.constantFrom(...LETTERS), fc.constantFrom(...DIGITS))
  .map(([body, letter, digit]) => `${body}${digit}${letter}`)
  .filter((value) => new Set(value).size >= 12 && !/x{4}|fake|dummy|sample|insert|replace|your/i.test(value))
const password = fc
  .tuple(
    string(`${ALNUM}!#%*+=?`, 6, 20),
    fc.constantFrom(...LETTERS),
    fc.constantFrom(...DIGITS),
    fc.constantFrom(...'!#%*'),
  )
  .map(([body, letter, digit, sign]) => `${letter}${digit}${body}${sign}${digit}`)
  .filter((value) => !/x{4}|fake|dummy|sample|insert|replace|your/i.test(value))

/** Contexts in which secrets occur. `§` marks the secret. */
const KEY_PLACES = [
  ...[
    'API_TOKEN=§',
    'ADMIN_TOKEN: §',
    'client_secret = "§"',
    "{'token': '§'}",
    '(secret: §)',
    'the deploy token is §.',
  ],
  ...['Authorization: Bearer §', 'the token of the nightly job is §, rotate it', 'ROOT_KEY=§;', 'secret § was printed'],
]
const PASSWORD_PLACES = [
  ...['DB_PASSWORD=§', 'password: "§"', 'the root password of nas-1 is §', 'postgres://app:§@db:5432/shop', 'root / §'],
  ...['sshpass -p § ssh host', 'psk="§"', 'password changed to §', '--password § host', '(pass: §)'],
]
const AROUND = [
  '',
  ' ',
  'Found it: ',
  'see ',
  ' and then',
  '.',
  ', not rotated',
  ' (old)',
  '[REDACTED:secret] ',
  '"',
  ' | ',
]

const planted = fc
  .tuple(
    fc.constantFrom(...AROUND),
    fc.oneof(
      fc.tuple(fc.constantFrom(...KEY_PLACES), key),
      fc.tuple(fc.constantFrom(...PASSWORD_PLACES), password),
      fc.constantFrom(...SECRET_EXAMPLES).map(({ text, secret }) => [text.replace(secret, '§'), secret] as const),
    ),
    fc.constantFrom(...AROUND.filter((text) => /^\W|^$/.test(text))),
  )
  .map(([before, [place, secret], after]) => ({
    text: `${before} ${place.replace('§', () => secret)} ${after}`,
    secret,
  }))

const FRAGMENTS = [
  ...SECRET_EXAMPLES.map(({ text }) => text),
  ...[
    'password=',
    'token: ',
    '[REDACTED:secret]',
    '[REDACTED:',
    'key ',
    '://a:',
    '@b ',
    'Bearer ',
    '"',
    "'",
    ' ',
    '\n',
    '-',
    '=',
  ],
]
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 8 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
)

/** Eight consecutive characters of the secret, outside the markers, which name its kind. */
function remains(secret: string, text: string): boolean {
  const redacted = text.replace(/\[REDACTED:[\w-]+\]/g, '|')
  for (let at = 0; at + 8 <= secret.length; at++) if (redacted.includes(secret.slice(at, at + 8))) return true
  return false
}

describe('redaction of any text', () => {
  it('leaves nothing of a planted secret of eight characters and more', () => {
    fc.assert(
      fc.property(planted, ({ text, secret }) => {
        const result = redactSecrets(text)
        expect(result.found.length).toBeGreaterThan(0)
        if (secret.length >= 8) expect(remains(secret, result.text), result.text).toBe(false)
      }),
      { numRuns: 5_000 },
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const once = redactSecrets(text).text
        expect(redactSecrets(once)).toEqual({ text: once, found: [] })
      }),
      { numRuns: 3_000 },
    )
  })

  it('changes nothing but what it counts, and grows by a marker for each at most', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const { text: redacted, found } = redactSecrets(text)
        const count = found.reduce((sum, { count }) => sum + count, 0)
        if (count === 0) expect(redacted).toBe(text)
        expect(redacted.length).toBeLessThanOrEqual(text.length + count * (LONGEST_MARKER - SHORTEST_SECRET))
      }),
      { numRuns: 3_000 },
    )
  })
})
