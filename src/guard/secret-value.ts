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

/** One of the characters people fill a form with, repeated until it is most of the value: `xxxxxxxxxxxxxxxx`, `****`. */
const FILLER = /([xX*.0])\1{11,}/

const PLACEHOLDER_WORD =
  /(?:example|placeholder|changeme|change[-_]me|dummy|fake|sample|insert|replace|redacted|your[-_ ]?|[-_]here\b|not[-_]set|undefined|xxxx|\*\*\*|\.\.\.)/i

/** A placeholder in documentation. It is not secret, and easier to read when it stays. */
export function isPlaceholder(value: string): boolean {
  return FILLER.test(value) || PLACEHOLDER_WORD.test(value)
}

const REFERENCE =
  /^(?:[$%@#{<([&*\\/~]|\.\.?\/|[a-z]:\\|null\b|none\b|true\b|false\b|nil\b|self\.|this\.|process\.|os\.|env\.|secrets?\.|var\.|config\.)|:\/\/|\$\{|\{\{|\}\}|#\{|\w\(|\[\d*\]/i
/** Content hashes are public names, not secrets. */
const CONTENT_HASH = /^(?:sha\d{1,3}|md5|blake\w+|crc\d+)[:~_-]/i
const FILE_NAME =
  /\.(?:txt|log|json|ya?ml|toml|html?|tf|mp[34]|pdf|md|[cm]?[tj]sx?|py|sh|conf|cfg|ini|xml|csv|gz|zip|tar|png|jpe?g|gif|svg|cer|crt|pem|key|pub|lock|db|sql|rs|go|java|jar|com|org|net|io|dev|local)$/i
const DATE = /^\d{4}-\d\d-\d\d(?:\D|$)/

/** A variable, a path, a call, a URL, a file, a date or a content hash: a name, not a secret. */
export function isReference(value: string): boolean {
  return [REFERENCE, CONTENT_HASH, FILE_NAME, DATE].some((pattern) => pattern.test(value))
}

/** One case, or humps of three letters and more: random letters change case sooner. */
const WORD = '(?:[a-z]+|[A-Z]+|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*)'
const PART = `(?:${WORD}\\d{0,3}${WORD}?|\\d{1,4})`
/** Words with a few digits, joined as paths, keys and identifiers are. */
const NAME = new RegExp(`^${PART}(?:[-_.:/#]+${PART})*$`)

/** Reads as words or as a name in a program: `shorter-version`, `kVK_Return.u16`, `Befaehigung_P2`. */
export function isWordLike(value: string): boolean {
  return NAME.test(value)
}

/** A literal that looks like a generated key: letters and digits mixed, or one long run of a single case. */
export function looksGenerated(value: string): boolean {
  if (isPlaceholder(value) || isReference(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 16 && shannonEntropy(value) >= 2
  if (/^[\d.,:/_+-]+$/.test(value)) return false
  if (/^(?:[a-z]{20,}|[A-Z]{20,})$/.test(value)) return true
  if (/^[A-Za-z]{20,}$/.test(value)) {
    return !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(value) && shannonEntropy(value) >= 3
  }
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  if (isWordLike(value) && (value.length < 20 || /[-_.:/#]/.test(value))) return false
  return shannonEntropy(value) >= 2.2
}

/** A literal password: anything that is not a reference, a placeholder, or plain words. */
export function looksLikePassword(value: string): boolean {
  if (isPlaceholder(value) || isReference(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 6
  if (/passw|pwd|secret|required|string|prompt|empty/i.test(value) && !/[\d$!@#%^&*]/.test(value)) return false
  return !/^[a-z]+(?:[-_ ][a-z]+)+$/i.test(value)
}
