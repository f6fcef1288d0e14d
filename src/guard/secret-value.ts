/** Shannon entropy in bits per character. A random base62 string of 32 characters is near 4.5, a random hex one near 3.7. */
export function shannonEntropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / value.length
    bits -= share * Math.log2(share)
  }
  return bits
}

/** A typical filler character, repeated until it is most of the value: `xxxxxxxxxxxxxxxx`, `****`. */
const FILLER = /([xX*.0])\1{11,}/

const PLACEHOLDER_WORD =
  /^\W*(?:sensitive|masked|hidden|filtered|omitted|unset)\b|example|placeholder|change[-_]?me|replace|redacted|[-_]here\b|not[-_]set|undefined|\.\.\./i
/** Short enough to occur in a random value by chance; there they do not begin a part, or are a small part of it. */
const SHORT_PLACEHOLDER_WORD =
  /(?<![A-Za-z0-9])(?:dummy|fake|sample|insert|your)|^[A-Za-z-_ ]*(?:dummy|fake|sample|insert|your)/i
const SHORT_FILLER = /([xX*])\1{3,}|\*{3}/

/** Placeholders in documentation: nothing to hide, and more readable if kept. */
export function isPlaceholder(value: string): boolean {
  if (FILLER.test(value) || PLACEHOLDER_WORD.test(value) || SHORT_PLACEHOLDER_WORD.test(value)) return true
  return (SHORT_FILLER.exec(value)?.[0].length ?? 0) * 6 >= value.length && SHORT_FILLER.test(value)
}

const REFERENCE =
  /^(?:[$%@#{<([&*\\/~]|\.\.?\/|[a-z]:\\|null\b|none\b|true\b|false\b|nil\b|self\.|this\.|process\.|os\.|env\.|secrets?\.|var\.|config\.|arn:)|:\/\/|\$\{|\$\(|\{\{|\}\}|#\{|\w\(|\[\d*\]/i
/** Content hashes identify things and are not secret. `h1:` is go.sum's. */
const CONTENT_HASH = /^(?:sha\d{1,3}|md5|blake\w+|crc\d+|h1)[:~_-]/i
/** Public by design: a publishable Stripe key, the public half of an SSH or age key. */
const PUBLIC_VALUE = /^(?:pk_(?:live|test)_|ssh-(?:rsa|ed25519|ecdsa)|ecdsa-sha2-|AAAA[A-Z]3NzaC1|age1)/
const FILE_NAME =
  /\.(?:txt|log|json|ya?ml|toml|html?|tf|mp[34]|pdf|md|[cm]?[tj]sx?|py|sh|conf|cfg|ini|xml|csv|gz|zip|tar|png|jpe?g|gif|svg|cer|crt|pem|key|pub|lock|db|sql|rs|go|java|jar|com|org|net|io|dev|local)$/i
/** Where passwords are stored. */
const PASSWORD_STORE = /^(?:1password|keepass\w{0,4}|lastpass|bitwarden|vaultwarden|dashlane|nordpass|passbolt)\W*$/i
const DATE = /^\d{4}-\d\d-\d\d(?:\D|$)/

/** A variable, a path, a call, a URL, a file, a date, a public key or a content hash: a name, not a secret. */
export function isReference(value: string): boolean {
  if (isSlashedBase64(value)) return false
  return [REFERENCE, CONTENT_HASH, PUBLIC_VALUE, FILE_NAME, PASSWORD_STORE, DATE].some((pattern) => pattern.test(value))
}

/** Base64 may begin with a slash without being a path. */
function isSlashedBase64(value: string): boolean {
  return (
    /^\/[A-Za-z0-9+/]{31,}={0,2}$/.test(value) &&
    [/\d/, /[A-Z]/, /[a-z]/].every((kind) => kind.test(value)) &&
    !isPath(value)
  )
}

/** Folder names are words; the text between the slashes of base64 is not. */
export function isPath(value: string): boolean {
  return /(?:^|\/)(?:[a-z]{4,}[-_.]?[a-z]*|usr|var|lib|etc|opt|tmp|srv|bin|dev|run|src|app|api)\/|\/[\w-]+\.[a-z]{1,5}$/.test(
    value,
  )
}

/** One case, or humps of three or more letters: random letters change case sooner. */
const WORD = '(?:[a-z]+|[A-Z]+|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*)'
const PART = `(?:${WORD}\\d{0,3}${WORD}?|\\d{1,4})`
const WHOLE_PART = new RegExp(`^${PART}$`)
/** Separators in paths, keys and identifiers. */
const JOINS = /[-_.:/#]+/

/**
 * Reads as words with a few digits, or as a name in a program: `shorter-version`, `kVK_Return.u16`, `Befaehigung_P2`. Checked part by part: in one
 * pattern each part could be read in several ways, and `a.ba.ba.b...` in exponentially many.
 */
export function isWordLike(value: string): boolean {
  return value.split(JOINS).every((part) => WHOLE_PART.test(part))
}

const NAME_PART = new RegExp(`^(?:${WORD}\\d{0,4}|\\d{6}|\\d{8}|[a-z0-9]{1,4}|[A-Z0-9]{1,4}|[A-Z][a-z0-9]{1,3}|)$`)
/** A name may end in a random suffix, as those of pods and cloud resources do (`shop-db-7f9c4d-x2k9p`), but not a longer one. */
const RANDOM_ENOUGH = 14

/** How many characters of a value belong to no word, short number or date. */
function randomLength(value: string): number {
  const parts = value.split(/[^A-Za-z0-9]+/)
  return parts.reduce((sum, part) => (NAME_PART.test(part) && part.length < 20 ? sum : sum + part.length), 0)
}

/** Groups of letters and digits as in serial numbers and UUIDs. A name contains words, and begins with one. */
function isSerial(value: string): boolean {
  if (/^[A-Za-z0-9]{8}(?:-[A-Za-z0-9]{4}){3}-[A-Za-z0-9]{12,14}$/.test(value)) return true
  const groups = value.split('-')
  return (
    groups.length >= 4 &&
    value.length >= 24 &&
    /\d/.test(groups[0]!) &&
    groups.every((group) => /^\w{4,16}$/.test(group))
  )
}

/** Letters, digits and signs mixed in a way only password generators do. */
function isStrongMix(value: string): boolean {
  return (
    value.length >= 10 &&
    /[A-Za-z]/.test(value) &&
    /\d/.test(value) &&
    (value.match(/[!#$%^&*?~@+=]/g)?.length ?? 0) >= 2
  )
}

/** A literal that looks like a generated key: letters and digits mixed, or one long run of a single case. */
export function looksGenerated(value: string): boolean {
  if (
    isStrongMix(value) &&
    !isPlaceholder(value) &&
    !PUBLIC_VALUE.test(value) &&
    !/^\$|:\/\/|[$#]\{|\{\{|\w\(/.test(value)
  )
    return true
  if (isPlaceholder(value) || isReference(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 16 && shannonEntropy(value) >= 2
  if (/^[\d.,:/_+-]+$/.test(value)) return false
  if (/[A-Za-z]/.test(value) && isSerial(value)) return true
  if (/^(?:[a-z]{20,}|[A-Z]{20,})$/.test(value)) return true
  if (/^[A-Za-z]{20,}$/.test(value)) {
    return !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(value) && shannonEntropy(value) >= 3
  }
  if (!/[A-Za-z]/.test(value)) return false
  if (!/\d/.test(value)) return value.length >= 24 && randomLength(value) >= 20 && shannonEntropy(value) >= 4
  if (
    /[-_.:/#]/.test(value) &&
    (isWordLike(value) || randomLength(value) < Math.min(RANDOM_ENOUGH, value.length * 0.6))
  ) {
    return false
  }
  if (value.length < 20 && isWordLike(value)) return false
  return shannonEntropy(value) >= (value.length >= 24 ? 1.5 : 2.2)
}

/** Clearly random, so that a word some distance before it is enough to make it a secret. */
export function looksRandom(value: string): boolean {
  if (value.length < 20 || !looksGenerated(value)) return false
  return /\d/.test(value) && (isSerial(value) || randomLength(value) >= 18) && shannonEntropy(value) >= 3
}

/** A literal password: not a reference, a placeholder, or plain words. */
export function looksLikePassword(value: string): boolean {
  if (isPlaceholder(value) || isReference(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 6
  if (/passw|pwd|secret|required|string|prompt|empty/i.test(value) && !/[\d$!@#%^&*]/.test(value)) return false
  return isMixedLetters(value) || !/^[a-z]+(?:[-_ ][a-z]+)+$/i.test(value)
}

/** Names of hashes, and of vendors whose keys have an exact format. */
const HASH_PREFIX = /^(?:sk|pypi|sgp|sha\d{1,3}|md5|blake\w{1,4}|crc\d+|h1|nonce|etag|pack|kid|phc|age1)[-_]/i

/** After a vendor's prefix comes one run of random characters: in mixed case, or a long one in lower case that is not a hash. */
export function isRandomBody(token: string, before: string): boolean {
  const body = token.split(/[_-]/).reduce((longest, part) => (part.length > longest.length ? part : longest), '')
  if (HASH_PREFIX.test(token) || isPlaceholder(token) || !/\d/.test(token)) return false
  // Random values that are named as public may begin like a prefix.
  if (/\b(?:k?ids?|thumbprint|hash|digest|nonce|etag|cursor|state)\W{1,4}$/i.test(before)) return false
  if (/^[a-z0-9_-]+$/.test(token)) return body.length >= 40 && !/^[0-9a-f]+$/.test(body) && shannonEntropy(body) >= 4
  if ((token.match(/\d/g)?.length ?? 0) < 2) return false
  return body.length >= 12 && randomLength(token) >= 28 && shannonEntropy(token) >= 4.3
}

/** How often the case changes from one letter to the next. */
function countTurns(value: string): number {
  return value.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g)?.length ?? 0
}

/** Letters only, in a mix of cases that no word or program name has. */
export function isScrambled(value: string): boolean {
  if (!/^[A-Za-z]{8,}$/.test(value) || isWordLike(value) || isPlaceholder(value)) return false
  const turns = countTurns(value)
  if (value.length < 10) return turns > value.length / 2
  return turns >= value.length * 0.4 || !/[A-Z]{3}/.test(value.slice(0, 4))
}

/** Letters in a mix of cases, with or without signs between: enough where the text names the value, and not elsewhere. */
export function isMixedLetters(value: string): boolean {
  if (!/^[A-Za-z][A-Za-z._~+:@=-]{7,}$/.test(value) || isWordLike(value)) return false
  if (isPlaceholder(value) || isReference(value)) return false
  return countTurns(value) >= 3 && value.replace(/[^A-Za-z]/g, '').length >= 8
}

const PGP =
  /\b(?:gpg|pgp|openpgp|apt-key|rpm|keyserver|(?:recv|send|refresh)-keys|eddsa|ecdsa|rsa\d*|dsa|ed25519|sign(?:ed|ing|ature)?|fingerprint)\b/i

/** The id or fingerprint of a PGP key, where such a key is mentioned: it is public. */
export function isKeyId(value: string, before: string): boolean {
  return /^(?:0x)?[0-9A-F]{8}(?:[0-9A-F]{8}){0,4}$/.test(value) && PGP.test(before)
}

const ALGORITHM = /^(?:argon2\w*|bcrypt|scrypt|pbkdf2\w*|sha\d+\w*|md5\w*|aes\w*|rsa\d*|x509|base64|utf-?\d+)\W*$/i
export function isAlgorithm(value: string): boolean {
  return ALGORITHM.test(value)
}

const QUANTITY = /^(?:v?\d+(?:[.,:/-]\d+)*[a-z%]{0,7}|[a-z]{1,4}\d)\W*$/i

/** A password in a sentence: a letter, and a digit or a sign, but not an algorithm or a number with its unit. */
export function looksLikeSpokenPassword(value: string): boolean {
  if (value.length < 6 || isAlgorithm(value) || QUANTITY.test(value) || PASSWORD_STORE.test(value)) return false
  // A generated password may begin like a variable, but does not continue like one.
  if (isStrongMix(value) && !/^\$|^[<{]/.test(value)) return true
  if (isScrambled(value)) return true
  // `!` and `?` at the end may belong to the sentence.
  if (!/[A-Za-z]/.test(value) || !/[\d!#$%^&*?]/.test(value.replace(/[?!]+$/, ''))) return false
  return looksLikePassword(value)
}

/** Strong enough to be a password if only a user name precedes it: `root / x4!kd82mq`. */
export function looksLikeStrongPassword(value: string): boolean {
  if (value.length < 8 || /[/\\]/.test(value) || !/[A-Za-z]/.test(value) || !/\d/.test(value)) return false
  return (/[!#$%^&*?]/.test(value) && looksLikeSpokenPassword(value)) || (value.length >= 12 && looksGenerated(value))
}

/** Letters in no language: random ones have few vowels, or many consonants in a row. */
export function isGibberish(value: string): boolean {
  const vowels = value.replace(/[^aeiouy]/gi, '').length
  return (
    vowels < value.length * 0.24 ||
    /[^aeiouy]{6,}/i.test(value) ||
    /[qxzjvw]{2}|[bcdfghjklmnpqrstvwxz]{5}[qxzj]/i.test(value)
  )
}

/**
 * Words that make a name public: `public_key`, `primary key`, `nextPageToken`. Whole words only, and only these: whatever else a name
 * contains (admin, root, account, index...), a random value after `key` or `token` counts as a secret.
 */
export const HARMLESS_WORDS =
  'pub(?:lic)?|publishable|primary|foreign|partition|sort|range|cache|object|row|idempotency|dedupe|csrf|xsrf|authenticity|next|page|continuation|cursor|resume|lock|lease|fencing|kms|site|websocket|sync|delta|start|restore|registry|message|dependency|memcached?|sealed|gpg|pgp|host|peer'

/** `redis key session:9f86...`: where something is stored, not a secret itself. */
export function isStoredUnder(value: string, before: string): boolean {
  return /^[a-z][a-z_-]{1,30}(?::[a-z_-]{1,30})*:[0-9a-f-]+$/.test(value) && /\bkeys?\s{1,3}["'`]?$/i.test(before)
}
