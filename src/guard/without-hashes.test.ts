import { expect, it } from 'vitest'
import { withoutHashes } from './without-hashes.ts'

const HEX = '9f86d081884c7d659a2feaa0c55ad015'

it.each([
  ['token [REDACTED:github-token] is set', 'token value is set'],
  [`commit ${HEX} broke it`, 'commit value broke it'],
  [`image sha256:${HEX}${HEX} runs`, 'image value runs'],
  ['request 9F86D081-884c-7d65-9a2f-eaa0c55ad015 failed', 'request value failed'],
  [`integrity sha512-${'gX3'.repeat(14)}== differs`, 'integrity value differs'],
  [`key ${'gX3'.repeat(14)}= is public`, 'key value is public'],
])('%s', (text, plain) => expect(withoutHashes(text)).toBe(plain))

it.each([
  ['31 hexadecimal digits', `commit ${HEX.slice(1)}`],
  ['39 characters of base64', `key ${'gX3'.repeat(13)}`],
  ['words, however long', 'EveryMigrationFolderRepositoryIndexWriterFactoryProvider'],
  ['a path', 'src/lifecycle/relate/quantities/and/more/of/them/here'],
  ['a marker of nobody', '[REDACTED: x]'],
])('keeps %s', (_, text) => expect(withoutHashes(text)).toBe(text))

it('takes for random what changes its kind at 42 of 100 characters', () => {
  const less = `${'gX'.repeat(10)}${'g'.repeat(30)}`
  expect(withoutHashes(less)).toBe(less)
  const enough = `${'gX'.repeat(11)}${'X'.repeat(28)}`
  expect(enough).toHaveLength(50)
  expect(withoutHashes(enough)).toBe('value')
})
