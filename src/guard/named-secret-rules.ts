import { judgeRestOfName } from './secret-passphrase.ts'
import type { SecretRule } from './secret-rule.ts'
import {
  HARMLESS_WORDS,
  isGibberish,
  isKeyId,
  isMixedLetters,
  isPath,
  isPlaceholder,
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

/** Allowed between a name and its value: closing quote, an operator, spaces, opening quote (or an escaped one). */
const ASSIGN = String.raw`[\])]{0,2}\\?["'\x60]{0,2}\s{0,4}(?:=>|::?=|\?=|->|==?|:|,|\|\|)\s{0,4}[\[(@]{0,1}\\?["'\x60]{0,3}`
/** Loose text: `the token is abc`, `vendor KEY abc`, `vendor-secret-abc`. */
const LOOSE = String.raw`(?:\s{1,4}(?:is|was|to|of|for)\s{1,4}|\s{1,4}[-:=]?\s{0,2}|[-_.:])\\?["'\x60]?`
const VALUE = String.raw`([^\s"'\x60<>,;\\]{6,512})`

const HARMLESS_WORD = new RegExp(`(?<![A-Za-z0-9])(?:${HARMLESS_WORDS})[-_ .]?$`, 'i')
const HARMLESS_HUMP =
  /(?<=[a-z0-9])(?:Public|Primary|Foreign|Start|Evaluated|Sync|Partition|Sort|Cache|Csrf|Page|Continuation|Cursor)[-_.]?$/
/** In capitals it is a setting, and `PAGE_TOKEN` or `CACHE_KEY` may well be secret. */
const HARMLESS_SETTING = /(?<![A-Za-z0-9])PUB(?:LIC)?_?$/
/** With one of these anywhere in the name, nothing excuses it. */
const GRAVE_WORD = /secret|private|admin|root|auth(?!enticity)|api|access|vault|encrypt|signing|master/i
/** Ordinary words that end in `key`. */
const ENDS_IN_KEY = /(?<![a-z])(?:tur|mon|don|hoc|whis|joc)$/i

/** Names whose values are long and random by nature, and public. */
const NAMES_A_HASH =
  /(?:sum|digest|hash|sha-?\d*|md5|\bh1|page_?token|next_?token|\bp|integrity|signature|sig|etag|fingerprint|thumbprint|nonce|id|pub|public\w*|cert\w*|commit|version|url|uri|path|file|image|data|content|body|state|cursor|verification|challenge|public[-_ ]key|id-\d|peer|\biv|\btag|vault:v\d+|-bin|awsalb\w*|__cf_bm|continuation_?token|(?:start|evaluated)_?key|(?:sync|delta)_?token|handle|\bbh?)["']?\s{0,2}=?$/i

/** Words that mean a password wherever they are; `pass` is also a verb. */
const CLEAR_PASSWORD_WORDS =
  'passwords?|passwd|passphrase|passcode|pwd|(?<![A-Za-z])pw|contrase(?:n|ñ)a|(?<![A-Za-z])psk|pre[-_ ]?shared[-_ ]?key'
const PASSWORD_WORDS = `${CLEAR_PASSWORD_WORDS}|pass`
const KEY_WORDS =
  'api[-_ .]?keys?|app[-_ .]?keys?|(?<=[A-Za-z0-9]_)auth|secret[-_ ]?id|secrets?|tokens?|tok|credentials?|creds?|keys?|salts?|(?<![A-Za-z])pat'
/** `secret_access_key`, `apiSecretToken`: several such words in a row. */
const MORE_WORDS =
  '(?:[-_ .]{0,3}(?:access|private|secret|api|auth|client|live|test|b64|base64|keys?|tok(?:en)?s?|value|x))'

function endsHarmless(before: string): boolean {
  const name = /[\w.-]*[ ]?$/.exec(before)![0]
  if (ENDS_IN_KEY.test(before)) return true
  if (/^[A-Z0-9]+_[A-Z0-9_]*$/.test(name)) return HARMLESS_SETTING.test(name)
  return !GRAVE_WORD.test(name) && (HARMLESS_WORD.test(before) || HARMLESS_HUMP.test(before))
}

/** What the nearest noun before a random value calls it. Compound public names come first, as they end in secret ones. */
const NOUNS = new RegExp(
  [
    `(?<![A-Za-z0-9])((?:${HARMLESS_WORDS})[-_ ]?(?:page[-_ ]?)?(?:keys?|tokens?)|public|publishable|fingerprints?|thumbprint|check ?sums?|digests?|hash(?:es)?|sha-?\\d+|md5|b2sum|commit|rev(?:ision)?|submodule|integrity|signatures?|cert(?:ificate)?s?|serial|requests?|trace|span|event|container|image|layer|volume|instance|build|merged?|(?:key|client|account|project|zone|tenant|member|cluster)[-_ ]?id|ids?|uid|uuid|kid|etag|cursor|pin|named?|called|arn|path|url|version|address|contract|tx|accessor)(?![A-Za-z0-9])`,
    `(?<![A-Za-z0-9])(secrets?(?:[-_ ]id)?|tokens?|pass(?:words?|phrases?|wd)|credentials?|creds|api[-_ ]?keys?|access[-_ ]?keys?|keys?|pat|psk|bearer)(?![A-Za-z0-9])`,
  ].join('|'),
  'gi',
)

function followsSecretNoun(before: string): boolean {
  const sentence = before.slice(Math.max(before.lastIndexOf('. '), before.lastIndexOf('; ')) + 1)
  const last = [...sentence.matchAll(NOUNS)].at(-1)
  return last?.[2] !== undefined
}

/** Random letters change their case about every other place, names at most every third. */
function changesCaseOften(value: string): boolean {
  return (value.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g)?.length ?? 0) >= value.length * 0.42
}

/** `X-Amz-Cf-Id`, `X-Gm-Message-State`: headers carry long values that only servers read. Names of secret ones say so. */
function isPublicHeader(before: string): boolean {
  const name = /(?<![\w-])x-[\w-]{1,60}$/i.exec(before)?.[0]
  return name !== undefined && !/auth|token|key|secret|session|cookie|credential|pass|signature/i.test(name)
}

/** `"DB_PASSWORD", "valueFrom": ...`: after a comma comes the next key, not a value. */
function isNextKey(lead: string, after: string): boolean {
  return lead.includes(',') && /^\\?["'`]\s{0,3}[:=]/.test(after)
}

/** Only ever precedes a password's value. */
const SAYS_VALUE = /\s(?:is|was|now|(?:changed|set|reset|updated|rotated)\sto)\s{1,4}["'`]?$/i

const AWS_KEY_ID = /(?:AKIA|ASIA)[A-Z0-9]{16}|\[REDACTED:aws-access-key\]/

/** Secrets named before their value: a password, or a key, token or secret. */
export const NAMED_RULES: readonly SecretRule[] = [
  {
    id: 'password',
    keywords: 'pass|pwd|pw|contrase|psk|shared',
    pattern: new RegExp(String.raw`(?:${PASSWORD_WORDS})${ASSIGN}([^\s"'\x60<>,;\\]{5,256})`, 'gi'),
    // Letters alone after a colon are prose (`password: rotated monthly`); after `=` or in quotes they are a value.
    accept: (secret, before, lead, after) => {
      const value = secret.replace(/[.)\]}:!?]+$/, '')
      if (isNextKey(lead, after)) return false
      // The default of a variable: `${DB_PASSWORD:-unset}`.
      if (/\$\{\w*$/.test(before)) return false
      if (/^[A-Za-z]+$/.test(value) && (value.length < 8 || !/[="'`]/.test(lead))) return false
      // A tag of YAML, such as `!vault`.
      if (/^![a-z]+$/.test(value)) return false
      // A reference begins with `#` only if it names something: `#gets0m3` does not.
      return looksLikePassword(
        /^#(?=\w*\d)(?=\w*[a-z])\w{6,}$/i.test(value) && /=\s?$/.test(lead) ? value.slice(1) : value,
      )
    },
  },
  {
    id: 'password-in-text',
    keywords: 'pass|pwd|pw|contrase|psk|shared',
    pattern: new RegExp(String.raw`(?:${PASSWORD_WORDS})${LOOSE}([^\s"'\x60<>,;\\]{8,256})`, 'gi'),
    accept: (secret, _before, lead) => {
      const rest = judgeRestOfName(secret, lead)
      if (rest !== null) return rest
      if (isScrambled(secret) || (SAYS_VALUE.test(lead) && isMixedLetters(secret))) return true
      if (!/\d/.test(secret) || !/[A-Za-z]/.test(secret) || !looksLikePassword(secret)) return false
      return /\s(?:is|was)\s/i.test(lead) || secret.includes('#') || !isWordLike(secret)
    },
  },
  {
    // `the root password of nas-1 is ...`, `db password changed to ...`.
    id: 'spoken-password',
    keywords: 'pass|pwd|pw|psk|shared',
    pattern: new RegExp(
      String.raw`(?:${CLEAR_PASSWORD_WORDS})(?:\s[\w@.'/-]{1,40}){0,8}?(?:\s(?:is|was|are|to|as|now)|\s?[:=])\s{1,3}["'\x60]?([^\s"'\x60]{6,128})`,
      'gi',
    ),
    accept: (secret, _before, lead) =>
      (looksLikeSpokenPassword(secret) || (SAYS_VALUE.test(lead) && isMixedLetters(secret))) &&
      !/^![a-z]+$/.test(secret) &&
      (/\s(?:is|was)\s/i.test(lead) || secret.includes('#') || !isWordLike(secret)),
  },
  {
    // `root / ...`, `admin / ...`, where the name alone implies a password.
    id: 'login',
    keywords: 'root|admin|login|credential|creds|auth|account',
    pattern:
      /(?<![\w./:@-])(?:root|admin|administrator|sa|postgres|elastic|operator|user|demo|guest|test|[\w.-]{0,20}admin|svc[\w.-]{1,20})\s?[/:]\s?([^\s"'`/]{8,64})/gi,
    accept: looksLikeStrongPassword,
  },
  {
    // `IPMI login on rack 4 is ADMIN / ...`: the sentence names the pair, so the second may be plainer.
    id: 'told-login',
    keywords: 'login|credential|creds|log in',
    pattern:
      /\b(?:logins?|credentials|creds|log in)\b[^.\n]{0,60}?(?:\s(?:is|are|as|with)|[:=])\s{1,3}[\w.@-]{2,32}\s?\/\s?([^\s"'`/]{6,64})/gi,
    accept: (secret) =>
      /\d/.test(secret) && /[A-Za-z]/.test(secret) && looksLikeSpokenPassword(secret) && !isWordLike(secret),
  },
  {
    // Google's app passwords: four groups of four letters.
    id: 'app-password',
    keywords: 'password|passcode|passwort',
    pattern:
      /(?:password|passcode|passwort)[^.\n]{0,60}?(?:\sis|[:=])\s{1,3}["'`]?([a-z]{4}(?: [a-z]{4}){3})(?![\w-])/gi,
    accept: (secret) => secret === secret.toLowerCase() && isGibberish(secret.replaceAll(' ', '')),
  },
  {
    id: 'password-option',
    keywords: '--pass|--token|--secret|--api-key|--auth|--access-token',
    pattern:
      /--(?:pass(?:word|wd|phrase)?|token|secret|api-key|auth-token|access-token)(?:=|\s{1,3})["'`]?([^\s"'`$<{-][^\s"'`]{5,256})/g,
    accept: (secret) => looksLikeSpokenPassword(secret) || looksGenerated(secret) || isMixedLetters(secret),
  },
  {
    id: 'secure-string',
    keywords: 'securestring',
    pattern:
      /SecureString\b[^.\n]{0,80}?\bvalue(?:\s(?:is|of))?[=:\s]\s{0,3}["'`]?([^\s"'`$<][^\s"'`<]{5,512})|--value[= ]["'`]?([^\s"'`$<][^\s"'`<]{5,512})(?=["'`]?\s[^.\n]{0,80}SecureString)/gi,
    accept: (secret) => looksLikeSpokenPassword(secret) || looksGenerated(secret),
  },
  {
    id: 'vault-unseal-key',
    keywords: 'unseal|recovery key',
    pattern:
      /(?:unseal|recovery)(?:[- ]key)?(?:\s?\d{1,2})?(?:\s(?:is|was)|\s?[:=])?\s{1,3}["'`]?([A-Za-z0-9+/]{40,88}={0,2})(?![A-Za-z0-9+/=])/gi,
    accept: looksRandom,
  },
  {
    id: 'django-secret-key',
    keywords: 'secret_key|django-insecure-',
    pattern:
      /(?:SECRET_KEY\w{0,20}["']?\s{0,3}[=:]\s{0,3}["']?(?=[^\s"']{0,60}[!@#$%^&*(+)])|(?=django-insecure-))([^\s"']{32,128})/g,
    accept: (secret) =>
      /\d/.test(secret) &&
      /[a-z]/i.test(secret) &&
      !/^(?:os|env|config)\.|\$\{|\{\{|^[A-Za-z_][\w.]{3,}\(.*\)$/.test(secret),
  },
  {
    // Forty base64 characters are an AWS secret next to a key id, or where AWS is mentioned.
    id: 'aws-secret-key',
    keywords: 'akia|asia|aws',
    pattern: /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g,
    accept: (secret, before, _lead, after) =>
      /[a-z]/.test(secret) &&
      /[A-Z]/.test(secret) &&
      shannonEntropy(secret) >= 4 &&
      !isPlaceholder(secret) &&
      (AWS_KEY_ID.test(before) || AWS_KEY_ID.test(after) || (/\baws\b/i.test(before) && followsSecretNoun(before))),
  },
  {
    id: 'twitch-secret',
    keywords: 'twitch',
    pattern: /twitch[^\n]{0,40}?(?<![a-z0-9])([a-z0-9]{30})(?![A-Za-z0-9])/gi,
    accept: looksRandom,
  },
  {
    id: 'thingsboard-token',
    keywords: 'thingsboard',
    pattern: /thingsboard[\w.:-]{0,60}\/api\/v1\/([A-Za-z0-9]{20})(?=\/)/g,
  },
  {
    id: 'recaptcha-key',
    keywords: 'captcha',
    pattern: /captcha(?![\w .-]{0,12}site)[\w .-]{0,20}["']?\s{0,3}[=:,]\s{0,3}["']?(6L[\w-]{38})(?![\w-])/gi,
  },
  {
    id: 'secret',
    keywords: 'secret|token|tok|key|cred|pat|salt|_auth',
    pattern: new RegExp(`(?:${KEY_WORDS})${MORE_WORDS}{0,3}(?:_?\\d{1,4})?${ASSIGN}${VALUE}`, 'gi'),
    accept: (secret, before, lead) =>
      secret.length >= 8 &&
      (looksGenerated(secret) || (/^[A-Z0-9_]+["'`]?\s?[=:]/.test(lead) && isMixedLetters(secret))) &&
      !endsHarmless(before) &&
      !isKeyId(secret, before + lead) &&
      !/\barn:[\w:-]*$/.test(before),
  },
  {
    id: 'secret-in-text',
    keywords: 'secret|token|key|private|access',
    pattern: new RegExp(
      `(?:secret|token|key|private|access)${MORE_WORDS}{0,3}${LOOSE}([A-Za-z0-9+/=_%.:-]{14,512})`,
      'gi',
    ),
    accept: (secret, before, lead) =>
      (judgeRestOfName(secret, lead) ?? true) &&
      looksGenerated(secret) &&
      !endsHarmless(before) &&
      !isPath(secret) &&
      !isStoredUnder(secret, before + lead) &&
      !isKeyId(secret, before + lead) &&
      !/^id[=:]/i.test(secret),
  },
  {
    // A random value some words after `token`, `secret`, `key`: the nearest noun names it.
    id: 'secret-nearby',
    keywords: 'secret|token|pass|cred|key|pat |psk|bearer',
    pattern: /(?<![\w+/=.@:~#-])[A-Za-z0-9][\w+/=.~-]{19,512}/g,
    accept: (secret, before) =>
      looksRandom(secret) && !isPath(secret) && !/^[0-9A-F]+$/.test(secret) && followsSecretNoun(before),
  },
  {
    id: 'private-access',
    keywords: 'private|access',
    pattern: new RegExp(`(?:private|access)${MORE_WORDS}{0,3}${ASSIGN}([A-Za-z0-9+/=_-]{16,512})`, 'gi'),
    accept: (secret) => looksGenerated(secret),
  },
  {
    // Hashes and commit ids have one case, ULIDs are upper case, paths are words: none mixes three kinds at this entropy.
    id: 'high-entropy-value',
    keywords: '=|:',
    pattern: /[=:]\s{0,2}["'`]?([A-Za-z0-9+/_-]{32,256}={0,2})(?![\w.:/-])/g,
    accept: (secret, before) =>
      /[a-z]/.test(secret) &&
      /[A-Z]/.test(secret) &&
      (secret.replace(/\D/g, '').length >= secret.length / 20 || changesCaseOften(secret)) &&
      shannonEntropy(secret) >= (/^[0-9A-Fa-f]+$/.test(secret) ? 3.5 : 4.3) &&
      !isPlaceholder(secret) &&
      !isReference(secret) &&
      !isWordLike(secret) &&
      !NAMES_A_HASH.test(before) &&
      !/csrf|xsrf|authenticity/i.test(before) &&
      !isPublicHeader(before) &&
      !/[?&#]\w{1,32}$/.test(before) &&
      secret.split('/').length <= 4,
  },
]
