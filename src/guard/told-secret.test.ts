import { describe, expect, it } from 'vitest'
import { random } from '../../test/guard/secret-examples.ts'
import { redactSecrets } from './redact-secrets.ts'
import { TOLD_RULES } from './told-secret.ts'

const TOLD = TOLD_RULES.find(({ id }) => id === 'told-secret')!
/** Whether this rule alone accepts the value as a secret, whatever other rules say. */
const told = (value: string, before: string, after = '') => TOLD.accept!(value, before, '', after)

const GENERATED = 'kD82xQ9LmT4w'
const PLAIN = 'Winter1997#'
const LETTERS = 'qwkzjvbnmtrp'
const HEX = '9f86d081884c7d659a2f'

describe('what a value looks like decides how much has to be said', () => {
  it.each([
    ['generated, named some way before', GENERATED, 'the password of the old mailer, '],
    ['generated, of ten characters', 'kD82xQ9LmT', 'the password of the old mailer, '],
    ['generated, with two signs and no capital', 'abcdefg1!#', 'the password of the old mailer, '],
    ['generated, named directly', GENERATED, 'the token is '],
    ['generated, named afterwards', GENERATED, 'use ', ' as the password'],
    ['generated, where somebody logs in', GENERATED, 'log in with '],
    ['plain, named directly', PLAIN, 'password: '],
    ['plain, named afterwards', PLAIN, '', ' is the password'],
    ['plain, where somebody logs in', PLAIN, 'log in with '],
    ['letters, named as a password', LETTERS, 'the password is '],
    ['letters, named in capitals', LETTERS, 'DAS PASSWORT LAUTET '],
    ['letters, named as a password afterwards', LETTERS, '', ' is the password'],
    ['hexadecimal, named directly', HEX, 'the token is '],
    ['hexadecimal, named afterwards', HEX, '', ' is the token'],
    ['in parts, as for one program', 'abcd-efgh-ijkl-mnop', 'the password is '],
    ['words and a number', 'marble-quartz-velvet-7', 'the password is '],
    ['base32', 'JBSWY3DPEHPK3PXP', 'the totp seed is '],
    ['a UUID', '9f86d081-884c-7d65-9a2f-eaa0c55ad015', 'the token is '],
  ])('%s', (_, value, before, after = '') => expect(told(value, before, after)).toBe(true))

  it.each([
    ['nine characters, named some way before', 'kD82xQ9Lm', 'the password of the old mailer, '],
    ['one sign, named some way before', 'abcdefgh1!x', 'the password of the old mailer, '],
    ['generated, and nothing named', GENERATED, 'the host is '],
    ['generated, with a public name nearer', GENERATED, 'the password is set, and the commit is '],
    ['generated, of the sentence before', GENERATED, 'It has a password. The build was '],
    ['generated, of the line before', GENERATED, 'a password\nthe build was '],
    ['generated, used where nobody logs in', GENERATED, 'tested with '],
    ['plain, named some way before', PLAIN, 'the password of the old mail host, see '],
    ['letters, named as a key', LETTERS, 'the key is '],
    ['letters, named as a key afterwards', LETTERS, '', ' is the key'],
    ['hexadecimal, named some way before', HEX, 'the token of the old host, see '],
    ['hexadecimal, called a commit', HEX, 'the key is for commit is '],
    ['hexadecimal, named by the way before', HEX, 'the token of the mailer, '],
    ['hexadecimal, with a public name nearer', HEX, 'the token of the commit is '],
    ['one hexadecimal digit too few', HEX.slice(1), 'the token is '],
    ['hexadecimal letters alone', 'abcdefabcdefabcdefab', 'the token is '],
    ['digits alone', '4929183745610283', 'the token is '],
    ['letters, one too few', LETTERS.slice(1), 'the password is '],
    ['seven characters', 'kD82xQ9', 'the password is '],
    ['a word', 'restarted', 'the password is '],
    ['a name of words and a digit', 'kubernetesControllerManager2', 'the password is '],
    ['a name in parts', 'ab1-cd2-ef3x', 'the password is '],
    ['an identifier', 'MAX_RETRIES_2', 'the key is '],
    ['a mail address', 'bob1@example.org', 'the login is '],
    ['a version', 'v1.2.3-rc1', 'the key is '],
    ['an algorithm', 'argon2id', 'the password is '],
    ['a URL', 'https://a.b/c1D2', 'the token is '],
    ['a path', 'data/kD82xQ9L', 'the token is '],
    ['much of the same', 'aaaaaaaaA1', 'the password is '],
    ['a name afterwards that nothing leads to', GENERATED, '', ', and a password'],
    ['a public name afterwards', GENERATED, '', ' is the file of the password'],
    ['a key id', '9F86D081884C7D65', 'the gpg key is '],
    ['what is stored under a key', 'session:9f86d081884c7d659a2f', 'redis key '],
    ['a rule for passwords', 'MIN_LENGTH=12', 'PASSWORD_'],
  ])('not %s', (_, value, before, after = '') => expect(told(value, before, after)).toBe(false))
})

it('a header that is named for it holds a secret where it looks generated', () => {
  expect(redactSecrets('curl -H "X-Auth-Key: kd82Xq9LmT4w"').text).not.toContain('kd82Xq9LmT4w')
  expect(redactSecrets('curl -H "X-Auth-Mode: interactive-only"').found).toEqual([])
})

describe('a secret in a sentence', () => {
  it.each([
    ...[
      'the exporter uses X as token',
      'password rotated; now it is X',
      'root pw on nas-1 -> X',
      'X is the root password',
    ],
    ...['login with X as the password', 'iDRAC creds root X', 'SNMP community X on sw-1', 'pw=X', 'ADMIN_PW=X'],
    ...['le mot de passe est X', 'das Passwort lautet X', 'la contraseña es X', 'a senha é X', 'la password è X'],
    ...['het wachtwoord is X', 'hasło: X', 'パスワードは X', '密码是 X', 'пароль: X'],
    ...['password =&gt; X', '**password**: `X`', '<b>secret</b>: <code>X</code>', '| admin password | X |'],
  ])('%s', (form) => {
    const value = `${random(12)}7q`
    expect(redactSecrets(form.replace('X', value)).text).not.toContain(value)
  })

  it('is found despite markup inside it', () => {
    const token = random(36)
    for (const text of [`gh${'p'}\\_${token}`, `gh${'p_'}**${token}**`, `gh${'p'}&#95;${token}`]) {
      expect(redactSecrets(`the runner has ${text}.`).text).toMatch(
        /^the runner has \[REDACTED:github-token\]\*{0,2}\.$/,
      )
    }
  })

  it('may be letters alone after the word for a passphrase, and hexadecimal where a key is named', () => {
    expect(redactSecrets('restic passphrase qwzrtplkmnbvcxgh').found).toHaveLength(1)
    expect(redactSecrets(`${random(40, 'hex')} is the API key of the status page`).found).toHaveLength(1)
    expect(redactSecrets(`${random(40, 'hex')} is the commit that removed the token check`).found).toEqual([])
  })

  it.each([
    ...[
      'User passwords are hashed with Argon2id.',
      'the password of nas-1 is rotated monthly',
      'password: !vault | in all.yml',
    ],
    ...[
      'SSH host key fingerprint is SHA256:dGhpcyBpcyBub3QgYSBzZWNyZXQgYXQgYWxsIQ',
      'sort key is created_at#01J8ZK3N5Q',
      '<input type="hidden" name="authenticity_token" value="7SWa-Fo1_hsC6oovfBsJFLGPUl2EhkSWPbJhWANwgaJW">',
      'redis key session:9f86d081884c7d659a2feaa0c55ad015 has no TTL',
      'the new password policy is: keep them very long',
    ],
    ...[
      'le mot de passe est dans le coffre',
      'パスワードは90日ごとに変更する',
      'login with Okta as the identity provider',
    ],
  ])('not: %s', (text) => {
    expect(redactSecrets(text).found).toEqual([])
  })
})
