import type { SecretRule } from './secret-rule.ts'
import {
  isPlaceholder,
  isReference,
  isWordLike,
  looksGenerated,
  looksLikePassword,
  shannonEntropy,
} from './secret-value.ts'

/** Text between a name and its value: closing quote, an operator, spaces, opening quote (or an escaped one). */
const ASSIGN = String.raw`[\])]{0,2}\\?["'\x60]{0,2}\s{0,4}(?:=>|:=|->|==?|:|,|\|\|)\s{0,4}[\[(@]{0,1}\\?["'\x60]{0,3}`
/** Loose text: `the token is abc`, `vendor KEY abc`, `vendor-secret-abc`. */
const LOOSE = String.raw`(?:\s{1,4}(?:is|was|to|of|for)\s{1,4}|\s{1,4}[-:=]?\s{0,2}|[-_.:])\\?["'\x60]?`
const VALUE = String.raw`([^\s"'\x60<>,;\\]{6,512})`

/** Names that end in `key` or `token` and are not secret: `public_key`, `primary key`, `csrf_token`, `monkey`. */
const HARMLESS_NAME =
  /(?:^|[^A-Za-z0-9]|(?<=[a-z])(?=[A-Z]))(?:pub(?:lic)?|primary|foreign|partition|sort|range|cache|index|idx|hash|row|object|map|dict|natural|schema|sequence|bucket|hot|short|idempotency|dedupe|group|csrf|xsrf|next|page|continuation|cursor|max|min|per|num|count|total|random|remote|direct|internet|network|root|shell|memory)[-_ .]?$|(?:tur|mon|don|hoc|whis|joc)$/i

/** Names with long, random values that are public. */
const NAMES_A_HASH =
  /(?:sum|digest|hash|sha\d*|md5|integrity|signature|sig|etag|fingerprint|thumbprint|nonce|id|pub|public\w*|cert\w*|commit|version|url|uri|path|file|image|data|content|body|state|cursor)["']?\s{0,2}$/i

const PASSWORD_WORDS = 'passwords?|passwd|passphrase|passcode|pwd|pass|contrase(?:n|ñ)a'
const KEY_WORDS = 'api[-_ .]?keys?|app[-_ .]?keys?|secrets?|tokens?|tok|credentials?|creds?|keys?'
/** `secret_access_key`, `apiSecretToken`: the words may follow each other. */
const MORE_WORDS =
  '(?:[-_ .]{0,3}(?:access|private|secret|api|auth|client|live|test|b64|base64|keys?|tok(?:en)?s?|value|x))'

function endsHarmless(before: string): boolean {
  return HARMLESS_NAME.test(before)
}

function isPublicAddress(address: string): boolean {
  const parts = address.split(':')[0]!.split('.')
  if (parts.some((part) => part.length > 1 && part.startsWith('0'))) return false
  const octets = parts.map(Number)
  const [a, b, c] = octets as [number, number, number, number]
  if (octets.some((octet) => octet > 255)) return false
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if ((a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168) || (a === 169 && b === 254)) return false
  if ((a === 100 && b >= 64 && b <= 127) || (a === 198 && (b === 18 || b === 19))) return false
  if ((a === 192 && b === 0) || (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113))
    return false
  // Four small numbers are usually a version, and resolvers such as 8.8.8.8 are public.
  return octets.some((octet) => octet >= 64)
}

/** Secrets that are recognised by the text around them: a name, a header, a URL, a key block. */
export const CONTEXT_RULES: readonly SecretRule[] = [
  {
    id: 'private-key',
    keywords: ['private key'],
    pattern:
      /-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!-)){16,}(?:-----END[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    id: 'putty-private-key',
    keywords: ['putty-user-key-file'],
    pattern: /PuTTY-User-Key-File-[23]:(?:(?!PuTTY-User)[\s\S]){40,8000}?Private-MAC:\s{0,3}[0-9a-f]{20,}/g,
  },
  {
    id: 'url-credentials',
    keywords: ['://'],
    pattern: /:\/\/[^\s:/@"'`<>]{0,100}:([^\s/"'`<>]{1,200})@(?=[\w[$-])/g,
    group: 1,
    accept: (secret) => !isReference(secret) && !/^(?:x+|\*+|\.+|\[.*\])$/i.test(secret),
  },
  {
    id: 'sentry-dsn',
    keywords: ['sentry'],
    pattern: /:\/\/([0-9a-f]{32})(?::[0-9a-f]{32})?@[\w.-]{0,60}sentry/g,
    group: 1,
  },
  {
    id: 'authorization-header',
    keywords: ['authorization', 'bearer '],
    pattern:
      /(?:authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|token|api-?token|api-?key|digest|key|bot)\s{1,3})?|\bbearer\s{1,3})["']?([\w=~@.+/-]{8,2048})/gi,
    group: 1,
    accept: (secret) =>
      !isPlaceholder(secret) &&
      !isReference(secret) &&
      (looksGenerated(secret) || /^[A-Za-z0-9+/]{8,}={1,2}$/.test(secret)),
  },
  {
    id: 'curl-user',
    keywords: ['curl', 'wget', 'httpie'],
    pattern: /(?<=\s)(?:-u|--user)(?:=|\s{1,4})(["']?)([^\s:"'$<[{]{0,64}:(?:["'][^"'\s]{3,128}|[^\s"']{0,128}))/g,
    group: 2,
    accept: (secret) => {
      const [user = '', password = ''] = secret.split(/:["']?(.*)/s)
      if (password === '') return looksGenerated(user)
      if (isReference(password) || /^(?:pass(?:word)?|pwd|change(?:me|it)|test|token|secret|[xyz*]+)$/i.test(password))
        return false
      return true
    },
  },
  {
    id: 'command-line-password',
    keywords: ['psexec', 'sshpass', 'docker login', 'mysql', 'redis-cli'],
    pattern: /(?<=\s)(?:-p\s{0,3}|-a\s{1,3}|--password[= ])["']?(?!%)([^\s"'$<{\\%-][^\s"'$<{]{5,128})/g,
    group: 1,
    accept: (secret) => looksLikePassword(secret) && !/^\d+(?::\d+)*$/.test(secret),
  },
  {
    id: 'attribute-secret',
    keywords: ['value'],
    pattern:
      /(?:password|passwd|pwd|secret|token|api[-_]?key)["']\s{1,4}value\s{0,2}=\s{0,2}["']([^"'\s]{6,256})["']/gi,
    group: 1,
    accept: looksLikePassword,
  },
  {
    id: 'bundler-credentials',
    keywords: ['bundle_'],
    pattern: /\bBUNDLE_[A-Z0-9_]{2,80}__[A-Z]{2,20}["']?\s{0,3}[=:]\s{0,3}["']?([^\s"':$]{2,100}:[^\s"'$]{2,100})/g,
    group: 1,
  },
  {
    id: 'okta-token',
    keywords: ['okta'],
    pattern: /(?:[Oo]kta|OKTA)[\w .-]{0,20}["']?\s{0,3}[=:,]\s{0,3}["']?(00[\w-]{40})(?![\w-])/g,
    group: 1,
    entropy: 3,
  },
  {
    id: 'sumologic-access-id',
    keywords: ['sumo'],
    pattern: /(?:[Ss]umo|SUMO)[\w .-]{0,20}["']?\s{0,3}[=:,]\s{0,3}["']?(su[A-Za-z0-9]{12})(?!\w)/g,
    group: 1,
    entropy: 3,
  },
  {
    id: 'npm-auth',
    keywords: ['_authtoken', '_password', '_auth='],
    pattern: /:(?:_authToken|_password|_auth)\s{0,2}=\s{0,2}["']?([^\s"'${]{8,512})/g,
    group: 1,
  },
  {
    id: 'signed-url',
    keywords: ['sig=', 'x-amz-signature', 'x-amz-security-token', 'x-goog-signature'],
    pattern: /(?:[?&;]sig|x-(?:amz|goog)-(?:signature|security-token))=([A-Za-z0-9%+/=_-]{32,2048})/gi,
    group: 1,
  },
  {
    id: 'sonar-login',
    keywords: ['sonar'],
    pattern: /sonar[-_.]?(?:login|token)["']?\s{0,3}[=:,]\s{0,3}["']?([a-z0-9_]{40,44})(?!\w)/gi,
    group: 1,
  },
  {
    id: 'password-hash',
    keywords: ['$'],
    pattern:
      /\$(?:1|5|6|7|8|9|y|gy|2[abxy]?|apr1|sha1|argon2(?:id|i|d)|krb5(?:asrep|tgs|pa)|scrypt|pbkdf2-\w{1,10})\$[^\s$"']{1,128}\$?[A-Za-z0-9./+=$,:@*-]{16,}/g,
  },
  {
    id: 'password',
    keywords: ['pass', 'pwd', 'contrase'],
    pattern: new RegExp(String.raw`(?:${PASSWORD_WORDS})${ASSIGN}([^\s"'\x60<>,;\\]{5,256})`, 'gi'),
    group: 1,
    // Letters alone after a colon are prose (`password: rotated monthly`); after `=` or in quotes they are a value.
    accept: (secret, _before, lead) => {
      const value = secret.replace(/[.)\]}:!?]+$/, '')
      if (/^[A-Za-z]+$/.test(value) && (value.length < 8 || !/[="'`]/.test(lead))) return false
      return looksLikePassword(value)
    },
  },
  {
    id: 'password-in-text',
    keywords: ['pass', 'pwd', 'contrase'],
    pattern: new RegExp(String.raw`(?:${PASSWORD_WORDS})${LOOSE}([^\s"'\x60<>,;\\]{8,256})`, 'gi'),
    group: 1,
    accept: (secret, _before, lead) => {
      if (!/\d/.test(secret) || !/[A-Za-z]/.test(secret) || !looksLikePassword(secret)) return false
      return /\s(?:is|was)\s/i.test(lead) || !isWordLike(secret)
    },
  },
  {
    id: 'secret',
    keywords: ['secret', 'token', 'tok', 'key', 'cred'],
    pattern: new RegExp(`(?:${KEY_WORDS})${MORE_WORDS}{0,3}(?:_?\\d{1,4})?${ASSIGN}${VALUE}`, 'gi'),
    group: 1,
    accept: (secret, before) => secret.length >= 8 && looksGenerated(secret) && !endsHarmless(before),
  },
  {
    id: 'secret-in-text',
    keywords: ['secret', 'token', 'key', 'private', 'access'],
    pattern: new RegExp(
      `(?:secret|token|key|private|access)${MORE_WORDS}{0,3}${LOOSE}([A-Za-z0-9+/=_%.:-]{14,512})`,
      'gi',
    ),
    group: 1,
    accept: (secret, before) => looksGenerated(secret) && !endsHarmless(before) && !/[/.]\w+[/.]/.test(secret),
  },
  {
    id: 'private-access',
    keywords: ['private', 'access'],
    pattern: new RegExp(`(?:private|access)${MORE_WORDS}{0,3}${ASSIGN}([A-Za-z0-9+/=_-]{16,512})`, 'gi'),
    group: 1,
    accept: (secret) => looksGenerated(secret),
  },
  {
    // Hashes and commit ids are one case, ULIDs are upper case, paths are words: none mixes three kinds at this entropy.
    id: 'high-entropy-value',
    keywords: ['=', ':'],
    pattern: /[=:]\s{0,2}["'`]?([A-Za-z0-9+/_-]{32,256}={0,2})(?![\w.:/-])/g,
    group: 1,
    accept: (secret, before) =>
      /[a-z]/.test(secret) &&
      /[A-Z]/.test(secret) &&
      secret.replace(/\D/g, '').length >= secret.length / 20 &&
      shannonEntropy(secret) >= 4.3 &&
      !isPlaceholder(secret) &&
      !isWordLike(secret) &&
      !NAMES_A_HASH.test(before) &&
      !/[?&#]\w{1,32}$/.test(before) &&
      secret.split('/').length <= 4,
  },
  {
    id: 'public-ip',
    keywords: ['.'],
    pattern: /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?!\w|\.\d)/g,
    accept: (secret, before) => !/(?:[\w.]|\bversion )$/i.test(before) && isPublicAddress(secret),
  },
]
