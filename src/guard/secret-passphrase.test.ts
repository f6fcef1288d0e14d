import { describe, expect, it } from 'vitest'
import { redactSecrets } from './redact-secrets.ts'

const MIXED = 'corrXy-aReBmFQE'
const WORDS = 'marble-quartz-velvet'

describe('a password without a digit', () => {
  it.each([
    ...['DB_PASSWORD=X', 'password is X', 'password: X', 'the admin password is X.', '{"password": "X"}'],
    ...['the password for user bob on nas-1 is now X', 'run backup --password X now', '**Password:** X'],
    ...['DB_PASSWORD_PROD=X', 'root pw was X', 'password changed to X', 'export ADMIN_PASS="X"', 'pass=X'],
  ])('is taken where it is named: %s', (form) => {
    for (const value of [MIXED, WORDS]) {
      const { text, found } = redactSecrets(form.replace('X', value))
      expect(text, value).not.toContain(value)
      expect(found, value).toHaveLength(1)
    }
  })

  it.each(['API_KEY=X', 'DEPLOY_TOKEN="X"', 'PASSWORD_POLICY=X', 'PASSWORD_MIN_LENGTH=X', 'DB_PASSWORD_REPLICA=X'])(
    'is taken when it is random, whatever its name is: %s',
    (form) => expect(redactSecrets(form.replace('X', MIXED)).text).not.toContain(MIXED),
  )

  it('may be of two words, or joined by underscores, in quotes or behind a name in capitals', () => {
    expect(redactSecrets('ADMIN_PASS=velvet-quartz').found).toHaveLength(1)
    expect(redactSecrets('PGPASSWORD=velvet_quartz_marble psql').text).toBe('PGPASSWORD=[REDACTED:passphrase] psql')
    expect(redactSecrets('{"password": "velvet-quartz"}').found).toHaveLength(1)
    expect(redactSecrets('password=user_input').found).toEqual([])
    expect(redactSecrets('db-pwd = older-release').found).toEqual([])
  })

  it('has ten characters and more, and is no placeholder', () => {
    expect(redactSecrets('ADMIN_PASS="velvet-abc"').found).toHaveLength(1)
    for (const text of ['ADMIN_PASS="velvet-ab"', 'ADMIN_PASS="fake-quartz-velvet"', 'ADMIN_PASS="dummy-quartz"'])
      expect(redactSecrets(text)).toEqual({ text, found: [] })
  })

  it.each([
    ...['password is required', 'PASSWORD_FILE=/run/secrets/db', 'PASSWORD=changeme', 'password: string'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell
    ...['DB_PASSWORD=${DB_PASSWORD}', 'DB_PASSWORD=${OTHER_PASSWORD:-marble-quartz-velvet}'],
    ...[
      'the password is in Vault',
      'password is rotated weekly',
      'the password is up-to-date',
      'DB_PASSWORD=from-vault',
    ],
    ...['password: auto-generated', 'the password is company-wide', 'password: write-only', 'password=db_password'],
    ...['the password of the db is team-room-guarded', 'the password helper is git-credential-osxkeychain'],
    ...['the password service is auth-gateway-prod', 'password reset emails are sent to shop-ops-team'],
    ...['pass: build-lint-test', 'password login was switched to GitHub-OAuth'],
  ])('is no description of one: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] })
  })
})

describe('a setting about passwords', () => {
  it.each([
    ...['PASSWORD_MIN_LENGTH=12', 'PASSWORD_MAX_AGE=7776000', 'PASSWORD_TTL=2592000', 'PASSWORD_POLICY=strong-v2'],
    ...['PASSWORD_ROTATION_DAYS=90', 'PASSWORD_EXPIRES_IN=P90DT12H30M', 'TOKEN_EXPIRES_IN=P90DT12H30M'],
    ...[
      'PASSWORD_HISTORY_COUNT=10',
      'PASSWORD_LOGIN_ENABLED=true',
      'MAX_PASSWORD_LENGTH=128',
      'password min_length=12',
    ],
    ...['PASSWORD_RETRY_INTERVAL=12h30m15s', 'password_hash=bcrypt-sha256', 'password-max-age=90d'],
  ])('stays: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] })
  })

  it.each(['PASSWORD_MIN_LENGTH', 'PASSWORD_POLICY', 'TOKEN_TTL', 'PASSWORD_MAX_AGE', 'SECRET_ROTATION_DAYS'])(
    'excuses no random value: %s',
    (name) => {
      expect(redactSecrets(`${name}=kd82Xq9LmT4wZ7bN3vYc`).text).not.toContain('kd82Xq9L')
    },
  )
})

it('is taken as an option, whether a person or a program made it', () => {
  for (const value of ['Sunshine2024!', 'k3j9xq8vlm2pzr7w', MIXED])
    expect(redactSecrets(`Run deploy --secret ${value} now`).text).toBe(
      'Run deploy --secret [REDACTED:password-option] now',
    )
})
