import { describe, expect, it, vi } from 'vitest'
import { random, SECRET_EXAMPLES } from '../../test/guard/secret-examples.ts'
import { redactSecrets } from './redact-secrets.ts'
import { SECRET_RULES } from './secret-rules.ts'

const MEGABYTE = 1_000_000

describe('every rule', () => {
  it('has an example', () => {
    const covered = new Set(SECRET_EXAMPLES.map((example) => example.rule))
    expect(SECRET_RULES.map((rule) => rule.id).filter((id) => !covered.has(id))).toEqual([])
  })

  it('has an id of its own, a global pattern, and keywords in lower case', () => {
    expect(new Set(SECRET_RULES.map((rule) => rule.id)).size).toBe(SECRET_RULES.length)
    for (const rule of SECRET_RULES) {
      expect(rule.pattern.global, rule.id).toBe(true)
      expect(rule.keywords, rule.id).toBe(rule.keywords.toLowerCase())
      expect(rule.keywords === '' || !rule.keywords.split('|').includes(''), rule.id).toBe(true)
    }
  })

  it('has a keyword, so that most texts are spared it; few can have none', () => {
    const without = SECRET_RULES.filter(({ keywords }) => keywords === '').map(({ id }) => id)
    expect(without).toEqual([
      ...['azure-devops-pat', 'vault-legacy-token', 'airtable-token', 'twilio-key', 'asana-token'],
      ...['facebook-app-token', 'discord-token', 'three-part-token'],
    ])
  })

  it.each(SECRET_EXAMPLES)('$rule is taken out', ({ rule, text, secret }) => {
    const result = redactSecrets(text)
    expect(result.text).toContain(`[REDACTED:${rule}]`)
    expect(result.text).not.toContain(secret)
    expect(result.found).toContainEqual({ rule, count: 1 })
    expect(redactSecrets(result.text)).toEqual({ text: result.text, found: [] })
  })
})

describe('redactSecrets', () => {
  it('counts by rule and keeps the text around', () => {
    const [first, second] = [`gh${'p_'}${random(36)}`, `gh${'p_'}${random(36)}`]
    expect(redactSecrets(`old ${first}, new ${second}.`)).toEqual({
      text: 'old [REDACTED:github-token], new [REDACTED:github-token].',
      found: [{ rule: 'github-token', count: 2 }],
    })
  })

  it('reads a value of 64 characters again that was refused: it may hold a secret', () => {
    const inner = `&password=${'kd82Xq9L'}mT4w`
    const value = `/run/${'a/'.repeat(40)}`.slice(0, 64 - inner.length) + inner
    expect(value).toHaveLength(64)
    expect(redactSecrets(`password=${value}`).text).not.toContain('mT4w')
  })

  it('names a token by its own format, even when a password field holds it', () => {
    expect(redactSecrets(`password=gh${'p_'}${random(36)}`).text).toBe('password=[REDACTED:github-token]')
  })

  it('is not fooled by a marker that somebody wrote', () => {
    const secret = `gh${'p_'}${random(36)}`
    expect(redactSecrets(`[REDACTED:${secret}]`).text).not.toContain(secret)
    expect(redactSecrets(`[REDACTED:mine] ${secret}`).text).not.toContain(secret)
  })

  it('finds a secret that comes free only when another is taken out', () => {
    const [outer, inner] = [`gl${'pat-'}${random(300)}`, `gh${'p_'}${random(36)}`]
    expect(redactSecrets(outer + inner).text).toBe('[REDACTED:gitlab-token][REDACTED:github-token]')
  })

  it('does not take a key with slashes in it for a path', () => {
    const key = ['wJqlrXUtn', 'EMI/K7MDENG/', 'bPxRfiCYqzTbWnKEY0'].join('')
    expect(redactSecrets(`aws_secret_access_key = ${key}`).text).not.toContain(key.slice(0, 8))
  })

  it('takes a simple password when the text says that it is one', () => {
    expect(redactSecrets('the admin password is hunter2abc').text).not.toContain('hunter2')
    expect(redactSecrets('some_api_token_2 = "ZMqT9xB2vLk3Wn7Pq"').text).toContain('[REDACTED:secret]')
  })

  it.each([
    ...'ADMIN_TOKEN ACCOUNT_TOKEN BITBUCKET_TOKEN DEVELOPER_KEY KEYCLOAK_ADMIN_SECRET'.split(' '),
    ...'VAULT_ROOT_TOKEN VIRUSTOTAL_KEY INDEX_TOKEN PAGE_TOKEN CACHE_KEY NETWORK_KEY'.split(' '),
    ...'admin_cache_key mixmax_token'.split(' '),
  ])('takes a random value, whatever its name is: %s', (name) => {
    for (const value of [random(40, 'hex'), random(32), `${random(20)}/${random(19)}`]) {
      expect(redactSecrets(`${name}=${value}`).text, value).not.toContain(value.slice(0, 8))
    }
  })

  it.each([
    ['(password: S)', '(password: [REDACTED:password])'],
    ['{"token": "S"}', '{"token": "[REDACTED:secret]"}'],
    ["[api_key='S']", "[api_key='[REDACTED:secret]']"],
    ['The token is S.', 'The token is [REDACTED:secret-in-text].'],
    ['see <secret=S>', 'see <secret=[REDACTED:secret]>'],
  ])('leaves the quote or bracket that closes around it: %s', (text, expected) => {
    expect(redactSecrets(text.replace('S', 'a8f3k2l9d7s6q1w4')).text).toBe(expected)
  })

  it('goes on after a value it does not take', () => {
    expect(redactSecrets('token: $token=a8f3k2l9d7s6q1w4').text).toBe('token: $token=[REDACTED:secret]')
  })

  it.each([
    'commit 4b8365c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6a7 broke the build',
    'Memory 01ARZ3NDEKTSV4RRFFQ69G5FAV was merged',
    'sort key createdAt#01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'image sha256:eaaa7b11777babe28e6133a8b19ff71cea687e0d7f05158dee95a71f76ce3d00',
    `"integrity": "sha512-${'Z9b8d1JtYq3vY0rK3mQyV7sGxL1pN4cW6fT2hJ5k'.repeat(2)}=="`,
    '/var/lib/docker/overlay2/eaaa7b11777babe28e6133a8b19ff71cea687e0d7f05158dee95a71f76ce3d00/merged',
    'https://github.com/acme/app/commit/4b8365c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6a7',
    'request id: 550e8400-e29b-41d4-a716-446655440000',
    'ssh key fingerprint SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDJ3Lqwc0xJ8uDZ6rA',
    'public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"',
    'the private key is in /etc/ssl/private/server-2024.key',
    'git checkout feature/token-refresh-2024-rework',
    'access 2024-11-15T08:24:01Z log first',
    'key: user:1234:profile',
    'The cache key is build-cache-v2-linux-x64-node24',
    'Token expires after 3600s',
    'max_tokens=4096',
    'PASSWORD is read from /run/secrets/db_password',
    'Password: rotated monthly by ops',
    `token=$GITHUB_TOKEN and password=$${'{DB_PASSWORD}'}`,
    'curl -u $USER:$PASS https://host',
    'https://$USER:$PASS@host/path',
    'docker run -p 8080:8080 app',
    'api_key: "insert_key_here"',
    `gh${'p_'}${'x'.repeat(36)}`,
    'Listens on 10.0.0.12, 192.168.1.20:8096 and 127.0.0.1; DNS is 8.8.8.8; version 1.2.3.4',
    'The load balancer moved from 52.17.204.33 to 34.249.118.7:443, kernel 4.18.0.202',
    'github.com/stretchr/testify v1.9.0 h1:HtqpIVDClZ4nwg75+f6Lvsy/wHu+3BoSGCbBAcpTsTg=',
    'Signed by GPG key 4AEE18F83AFDEB23A1B2C3D4E5F60718293A4B5C',
    'STRIPE_KEY=pk_live_51HG8vKJ2mQ9xT4bN7cR0wY6p is the publishable one',
    'secretName: shop-db-credentials-7f9c4, token in default-token-x7k2p',
    'secret: prod/shop/db-a1B2c3',
    'idempotency key 550e8400-e29b-41d4-a716-446655440000 was sent twice',
    'nextPageToken: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA0bGtqaGc5OHQ3',
    'Why does the static analysis pass locally when the build is broken?',
    'The root password was rotated on 2024-11-15; passwords are hashed with argon2id',
    'The secret is to restart nginx twice',
  ])('leaves alone: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] })
  })

  it.each([
    ['mosquitto_sub -h mq1 -u sensor -P', '-t x'],
    ['unzip -P', 'a.zip'],
    ['mongosh -u root -p', '--quiet'],
    ['net user svc-backup', '/add'],
    ['rabbitmqctl change_password ingest', ''],
    ['lftp -u deploy,', 'ftp.example.com'],
    ['openssl pkcs12 -in c.p12 -passin pass:', '-nodes'],
    ['ssh-keygen -t ed25519 -N', '-f id'],
    ['snmp-server community', 'RO'],
    ['rootpw', ''],
    ['das Passwort wurde auf', 'geändert'],
    ['Das Kennwort des Druckers lautet jetzt', ''],
    ['hasło do panelu zmienione na', ''],
    ['la contraseña se cambió a', ''],
    ['Lösenordet är', ''],
    ['パスワードを', 'に変更した'],
  ])('takes out what follows: %s', (before, after) => {
    const secret = 'v3hLbIIxD8eL#O'
    const glue = /[,:]$/.test(before) ? '' : ' '
    expect(redactSecrets(`${before}${glue}${secret} ${after}`).text).not.toContain(secret)
  })

  it.each([
    'GitLab backup codes: e82c2d09a64a1483 05187972372f41eb',
    'backup codes for the root user: 48956951, 46561232',
    'BitLocker recovery key 934109-825562-779507-258441-912765-116645-385143-295811',
    'code de secours GitHub : 94a1a-f00f3',
    'Wiederherstellungscode: fe4b3-3e632',
  ])('takes codes out that open an account: %s', (text) => {
    expect(redactSecrets(text).text).not.toMatch(/\d{5}|[0-9a-f]{5}/)
  })

  it.each([
    'gpg --recv-keys 0x4AEE18F83AFDEB23 timed out on keys.openpgp.org',
    'gpg: using EDDSA key 4AEE18F83AFDEB23A1B2C3D4E5F60718293A4B5C',
    'minisign public key: RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3',
    'google-site-verification=rXOxyZounnZasA8Z7oaD3c14JdjS9aKSWvsR1EbUSIQ',
    'x-amz-id-2: Uuag1LuByRx9e6j5Onimru9pO4ZVKnJ2Qz7/C1NPcfTWAtRPfTaOFg8h2kZ3vQxT5bLw',
    'DKIM-Signature: v=1; d=example.com; s=mg; bh=frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=;',
    'パスワードは 1Password を参照',
    'the password manager is 1Password 8.10.3',
    'arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod-db-a1B2c3',
    'lock token 550e8400-e29b-41d4-a716-446655440000 expired',
    'the recovery code in journal.c handles 4096-byte blocks',
    'backup codes were regenerated on 2025-03-04',
    'the backup code reads inode 48210377 before the superblock',
    'snmpwalk -v2c -c public sw-3',
    'echo 3 | sudo tee /proc/sys/vm/drop_caches',
    'Set-Cookie: session=deleted; expires=Thu, 01-Jan-1970',
    'PIN 17 on the header is GPIO11',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell
    'POSTGRES_PASSWORD: ${LEDGER_DB_PASSWORD:-unset}',
    'password = (sensitive value)',
    'htpasswd -nB ops asks twice',
  ])('leaves public values alone: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, found: [] })
  })

  it.each([
    ['one letter', 'a'.repeat(MEGABYTE)],
    ['digits and dots', '1.'.repeat(MEGABYTE / 2)],
    ['keywords without end', 'key-'.repeat(MEGABYTE / 4)],
    ['assignments without end', 'password='.repeat(MEGABYTE / 9)],
    ['keywords in a row', 'secret access key token '.repeat(MEGABYTE / 24)],
    ['a keyword and spaces', `token${' '.repeat(MEGABYTE)}`],
    ['key blocks that never close', `-----BEGIN PRIVATE KEY-----${'a'.repeat(20)}`.repeat(MEGABYTE / 48)],
    ['key files that never close', 'PuTTY-User-Key-File-2: '.repeat(MEGABYTE / 23)],
    ['URLs without a host', '://a:'.repeat(MEGABYTE / 5)],
    ['token prefixes', 'glpat-'.repeat(MEGABYTE / 6)],
    ['token headers', `eyJ${'a'.repeat(20)}.`.repeat(MEGABYTE / 24)],
    ['hash prefixes', '$1$a'.repeat(MEGABYTE / 4)],
    ['curl options', `curl${' -u a:'.repeat(MEGABYTE / 6)}`],
  ])('stays linear on a megabyte of %s', (_name, text) => {
    // CPU time, because on a busy machine the clock says nothing about the text.
    const start = process.cpuUsage()
    redactSecrets(text)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1000).toBeLessThan(2_000)
  })

  it.each([
    'password=abc ',
    'password=abc',
    'password=aba.ba.ba.ba.ba.ba.ba.ba.ba.ba.ba.ba.b',
    'token: ',
    'secret is a-b_c.d:e/f ',
  ])('does four times the work on four times as much: %s', (piece) => {
    // Every check of a candidate value, with the length of the text it reads.
    const work = (text: string) => {
      let sum = 0
      const spies = SECRET_RULES.flatMap((rule) => {
        if (rule.accept === undefined) return []
        const accept = rule.accept
        return vi.spyOn(rule, 'accept').mockImplementation((...given) => {
          sum += 1 + given.join('').length
          return accept(...given)
        })
      })
      redactSecrets(text)
      for (const spy of spies) spy.mockRestore()
      return sum
    }
    expect(work(piece.repeat(400))).toBeLessThanOrEqual(4.4 * work(piece.repeat(100)) + 4000)
  })

  it('is idempotent on mixes of secrets, markers and fragments', () => {
    const fragments = [
      ...SECRET_EXAMPLES.map((example) => example.text),
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
    for (let round = 0; round < 300; round++) {
      const text = Array.from(
        { length: 6 },
        () => fragments[Number.parseInt(random(4, 'digits'), 10) % fragments.length],
      ).join('')
      const once = redactSecrets(text).text
      expect(redactSecrets(once)).toEqual({ text: once, found: [] })
    }
  })
})
