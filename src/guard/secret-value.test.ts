import { describe, expect, it } from 'vitest'
import {
  isAlgorithm,
  isGibberish,
  isKeyId,
  isMixedLetters,
  isPath,
  isPlaceholder,
  isRandomBody,
  isReference,
  isScrambled,
  isStoredUnder,
  isWordLike,
  looksGenerated,
  looksLikePassword,
  looksLikeSpokenPassword,
  looksLikeStrongPassword,
  looksRandom,
  shannonEntropy,
} from './secret-value.ts'

const HEX = '9f86d081884c7d65'

/** Each value once as a match and once as a non-match, including the limits of each branch. */
function table(name: string, judge: (value: string) => boolean, yes: readonly string[], no: readonly string[]): void {
  describe(name, () => {
    it.each(yes)('%s', (value) => expect(judge(value)).toBe(true))
    it.each(no)('not %s', (value) => expect(judge(value)).toBe(false))
  })
}

it('entropy is in bits a character', () => {
  expect(shannonEntropy('')).toBe(0)
  expect(shannonEntropy('aaaa')).toBe(0)
  expect(shannonEntropy('aabb')).toBe(1)
  expect(shannonEntropy('abcd')).toBe(2)
  expect(shannonEntropy('aaab')).toBeCloseTo(0.8113, 4)
})

table(
  'a placeholder',
  isPlaceholder,
  [
    ...['x'.repeat(12), '000000000000', 'my-example-key', 'changeme', 'change-me', 'key-here', 'not-set', 'undefined'],
    ...['sensitive', '<masked>', 'abc...', 'fake-token', 'your-key-1', 'MY_SAMPLE_1', '***', 'ab1xxxx', 'REPLACE_IT'],
    // Four fillers in 24 characters are a sixth.
    ...['kd82Xq9LmT4wZ7bN3vYcxxxx'],
  ],
  [
    ...['x'.repeat(3), '0'.repeat(11), 'kd82Xq9LmT4wZ7bN3vYc', 'kd82Xq9LmT4wZ7bN3vYcQxxxx', 'a9fakeb7', 'hiddenness'],
    ...['ab**cd9', ''],
  ],
)

table(
  'a reference',
  isReference,
  [
    ...['$TOKEN', './key', '../key', 'c:\\key', 'null', 'process.env.X', 'arn:aws:x', 'https://a.b', 'get(x)', 'a[0]'],
    ...'sha256:abc h1:abc pk_live_123 ssh-rsa age1abc key.pem Bitwarden. 2026-01-02 2026-01-02T03'.split(' '),
    ...['/run/secrets/db', `/etc/${'aB3'.repeat(11)}`],
  ],
  [
    ...['nullify9', 'kd82Xq9L', '2026-01-023', 'PK_LIVE_123', 'key.pem9', 'bitwardens9', `/${'aB3x'.repeat(8)}`],
    ...[`/${'aB3'.repeat(10)}a==`],
  ],
)

it('a slash before base64 makes a path of it where it is short or of one kind', () => {
  expect(isReference(`/${'aB3'.repeat(10)}`)).toBe(true)
  for (const short of ['aB', 'a3', 'B3']) expect(isReference(`/${short.repeat(20)}`)).toBe(true)
})

table(
  'a path',
  isPath,
  ['/home/x', 'data/x', 'var/x', '/usr/x', 'a/b.ts', 'data-x/y'],
  ['abc/x', 'Aa3/Bb4', 'a/b.tsxxxx', 'home', '/Bb4'],
)

table(
  'like a word',
  isWordLike,
  'shorter-version kVK_Return.u16 Befaehigung_P2 word123 ABC camelCaseName 1234 a/b:c#d v2beta'.split(' '),
  ['word1234', '12345', 'aBcD', 'camelCaSe', 'a b', '', '-a'],
)

table(
  'generated',
  looksGenerated,
  [
    // Two symbols, a letter and a digit in ten characters.
    ...['abcdefg1!#', '{abcdef1!#', 'Tr0ub4dor&3!'],
    // Numbers of 16 digits or more.
    ...['4929183745610283'],
    // Serial numbers.
    ...['1a2b-3c4d-5e6f-7a8b-9c0d', 'ABCDEFGH-IJKL-MNOP-QRST-UVWXYZABCDEF', '9f86d081-884c-7d65-9a2f-eaa0c55ad015'],
    // Letters only, 20 or more.
    ...['qwkzjvbnmtrplkhgfdsa', 'QWKZJVBNMTRPLKHGFDSA', 'qWkZjVbNmTrPlKhGfDsA'],
    // Letters and symbols, 24 or more.
    ...['qWkZjVbNmTrPlKhGfDsA+xYq'],
    ...['kd82Xq9L', HEX, 'kd82Xq9LmT4wZ7bN3vYc', 'app-kd82Xq9LmT4wZ7', 'a1b2a1b2a1b2a1b2a1b2a1b2'],
  ],
  [
    ...[
      '{abcde1!#',
      '{abcdefgh1!',
      '{abcdefgh!#',
      '{12345678!#',
      'example1!#aa',
      '$abcdef1!#',
      'http://a1!#',
      'get(abc1!#',
    ],
    ...['492918374561028', '1111111111111111', '1000000000000001', '2026-01.02,03:04', '1.2.3.4'],
    ...['1a2b-3c4d-5e6f-7a8b-9c0', 'qwkzjvbnmtrplkhgfds', 'TheLongNameOfSomeClass', 'aAaAaAaAaAaAaAaAaAaA'],
    ...['qWkZjVbNmTrPlKhGfDsA+xY', '++++++++', 'word-with-words-and-more-words'],
    ...['shop-db-7f9c4d-x2k9p', 'web-1', 'word123', 'aaaaaaaa1', 'sha256:9f86d081', ''],
  ],
)

table(
  'random beyond doubt',
  looksRandom,
  ['kd82Xq9LmT4wZ7bN3vYc', '1a2b-3c4d-5e6f-7a8b-9c0d'],
  ['kd82Xq9LmT4wZ7bN3vY', 'qwkzjvbnmtrplkhgfdsa', 'a1b2a1b2a1b2a1b2a1b2', 'word-kd82Xq9LmT4wZ7bN'],
)

table(
  'a literal password',
  looksLikePassword,
  ['123456', 'hunter2', 'correct', 'corrXy-aReBmFQE', 'secret1', 'pwd$x', 'a-b1'],
  ['12345', 'changeme', '$PASS', 'mysecret', 'required', 'two words', 'two-words', 'three_more_words'],
)

table(
  'letters in a mix of cases',
  isMixedLetters,
  ['corrXy-aReBmFQE', 'aBcDefgh', 'aBcD-efgh'],
  ['aBcDefg', 'aBcdefgh', '-aBcDefgh', 'aBcDefgh1', 'aBc-D-e-f', 'camelCaseName', 'exampleAbCdE', 'aBcDefgh.com'],
)

table(
  'scrambled letters',
  isScrambled,
  ['aBcDeFgH', 'qWkZjVbN', 'aBcDefghij', 'QWEaBcDeFg'],
  ['aBcDeFg', 'aBcDefgh', 'camelCase', 'aBcDeFg1', 'QWErtYuiopas', 'fAkEsAmPlE'],
)

table(
  'an algorithm',
  isAlgorithm,
  ['argon2id', 'bcrypt', 'SHA256', 'sha256,', 'aes256gcm', 'utf-8', 'base64.'],
  ['bcrypted', 'sha', 'my-sha256', 'base64x'],
)

table(
  'a password of a sentence',
  looksLikeSpokenPassword,
  ['hunter2', 'abc12x', 'qWkZjVbN', 'summer#sun', 'abcdefg1!#', '#bcdefg1!#'],
  [...'abc1x abcdef abcdef! sha256 bcrypt 12.5.1rc 1Password v1.20.3 abcd1'.split(' '), '$bcdefg1!#', '123456#'],
)

table(
  'a strong password',
  looksLikeStrongPassword,
  ['x4!kd82mq', 'x4!kd82m', 'kd82Xq9LmT4w'],
  ['x4!kd82', 'x4/kd82!mq', 'x4\\kd82!mq', 'abcdefg!', '1234567!', 'kd82Xq9LmT4', 'versions-202'],
)

table(
  'gibberish',
  isGibberish,
  ['bcdfgh', 'aaabbbbbbb', 'aeiouaqxaeiou', 'aaaaabcdfgqaaaaa'],
  ['password', 'restart', 'aeiou', 'aeibcdfgaei'],
)

describe('the random body of a token', () => {
  const MIXED = 'tok_kd82Xq9LmT4wZ7bN3vYcRf6HsJ1pAeUg'
  const LOWER = 'tok_kd82xq9lmt4wz7bn3vycrf6hsj1paeugo5i0kz8w'
  it('is a long one in lower case, or one in mixed case', () => {
    expect(isRandomBody(MIXED, '')).toBe(true)
    expect(isRandomBody(LOWER, '')).toBe(true)
    expect(isRandomBody(LOWER.slice(0, 44), '')).toBe(true)
  })
  it.each([
    ['one less than forty', LOWER.slice(0, 43)],
    ['a hash', `tok_${'9f86d081'.repeat(5)}`],
    ['named as a hash', `sha256_${MIXED}`],
    ['a placeholder', `example_${MIXED}`],
    ['without a digit', 'tok_kdQxXqWLmTRwZYbNUvYcRfIHsJOpAeUg'],
    ['with one digit', 'tok_kdQxXqWLmTRwZYbNUvYcRfIHsJOpAe7g'],
    ['in short pieces', 'kd82Xq9LmT4-wZ7bN3vYcRf-6HsJ1pAeUgo'],
    ['too short', 'tok_kd82Xq9LmT4wZ7bN3vYc'],
  ])('is none: %s', (_, token) => expect(isRandomBody(token, '')).toBe(false))
  it.each(['kid: ', 'id=', 'etag "', 'nonce '])('is none behind %s', (before) => {
    expect(isRandomBody(MIXED, before)).toBe(false)
    expect(isRandomBody(MIXED, `${before}is far, `)).toBe(true)
  })
})

it('a key id is of 8 to 40 hexadecimal digits, where a key is spoken of', () => {
  for (const count of [1, 2, 5]) expect(isKeyId('9F86D081'.repeat(count), 'gpg --recv-keys ')).toBe(true)
  expect(isKeyId('0x9F86D081', 'signed by ')).toBe(true)
  expect(isKeyId('9F86D081'.repeat(6), 'gpg ')).toBe(false)
  expect(isKeyId('9F86D08', 'gpg ')).toBe(false)
  expect(isKeyId('9f86d081', 'gpg ')).toBe(false)
  expect(isKeyId('9F86D081', 'the password is ')).toBe(false)
})

it('a key of a store names where something lies', () => {
  expect(isStoredUnder('session:9f86d081', 'redis key ')).toBe(true)
  expect(isStoredUnder('app:session:9f86d081', 'the keys "')).toBe(true)
  expect(isStoredUnder('session:9f86d081', 'the password ')).toBe(false)
  expect(isStoredUnder('session:9f86x', 'redis key ')).toBe(false)
})

/** The first value just passes the check, the second is one character short. */
it.each([
  ['14 random characters in a name', looksGenerated, 'service-kd82Xq9LmT4wZ7-name', 'service-kd82Xq9LmT4wZ-name'],
  ['20 characters of a word and a number', looksGenerated, 'abcdefghijklmnopq123', 'abcdefghijklmnop123'],
  ['four groups of a serial number', looksGenerated, '1word-worded-wordy-wording', '1word-wordedwordy-wordings'],
  ['18 random characters beside a name', looksRandom, 'ab-kd82Xq9LmT4wZ7bN3v', 'abc-kd82Xq9LmT4wZ7bN3'],
  ['four turns in ten letters', isScrambled, 'QWErTyuioP', 'QWErTyuiop'],
  ['six vowels in 26 letters', isGibberish, 'trastrastrastrastrastrastp', 'trastrastrastrastrastrast'],
  ['28 random characters', inToken, 'tok_kd82Xq9LmT4wZ7bN3vYcRf6HsJ1p', 'tok_kd82Xq9LmT4wZ7bN3vYcRf6HsJ1'],
  ['a piece of twelve', inToken, 'kd82Xq9LmT4w-Z7bN3vYcRf6-HsJ1pAeUgo5', 'kd82Xq9LmT4-wZ7bN3vYcRf-6HsJ1pAeUgo'],
])('%s', (_, judge, enough, less) => {
  expect(judge(enough)).toBe(true)
  expect(judge(less)).toBe(false)
})

function inToken(token: string): boolean {
  return isRandomBody(token, '')
}

it('reads joined parts one by one: together they could be read in exponentially many ways', () => {
  expect(isWordLike(`${'a.b'.repeat(80)}!`)).toBe(false)
  expect(isWordLike('a.b'.repeat(80))).toBe(true)
})
