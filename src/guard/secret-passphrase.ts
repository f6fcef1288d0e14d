import type { SecretRule } from './secret-rule.ts'
import { isMixedLetters, isPlaceholder, isReference, looksGenerated, looksLikePassword } from './secret-value.ts'

/** Passwords made of words, and settings about passwords, which use the same letters. */

/** Words that join a description but never a passphrase: passphrase word lists leave them out. */
const JOINING =
  /^(?:an?|the|to|of|in|at|from|by|and|or|not|no|non|is|are|be|with|without|for|per|on|only|as|if|up|out|via|see|your|my|must|least|than|after|before|each|every)$/i
/** What a description of a password is about. */
const DESCRIBING =
  /^(?:passw\w*|pass|pwd|secrets?|vaults?|cred\w*|tokens?|keys?|keychain|keyring|user\w*|manager|policy|strong|weak|char\w*|length|letters?|digits?|symbols?|random|default|required|optional|string|text|field|value|input|prompt|reset|rotat\w*|expir\w*|hash\w*|salt\w*|encrypt\w*|encod\w*|generat\w*|managed|stored|shared|protected|based|sensitive|read|write|once|time|use|auto|self|env|config|file|path|entry|store|service|wide|side|specific|free|none|null|unset|empty|missing|unknown|todo|tbd)$/i
const PARTICIPLE = /[a-z]{3}(?:ed|ing|able|ible)$/i

/** How clearly the text announces a value: a setting with `=` or quotes, or a sentence. */
type Certainty = 'assigned' | 'spoken'

/** Words joined by one sign, none of which describes. A sentence itself joins two and three words, so there it takes more. */
function isPassphrase(value: string, certainty: Certainty): boolean {
  if (!/^[A-Za-z]{2,}(?:([-_.])[A-Za-z]{2,})(?:\1[A-Za-z]{2,})*$/.test(value)) return false
  const words = value.split(/[-_.]/)
  if (value.length < 10 || isPlaceholder(value) || isReference(value)) return false
  if (words.some((word) => JOINING.test(word) || DESCRIBING.test(word))) return false
  if (certainty === 'assigned') return words.length > 2 || !PARTICIPLE.test(value)
  return value.includes('-') && words.length > (PARTICIPLE.test(value) ? 3 : 2)
}

/** The last words of a name that sets a rule for passwords, and contains none. */
const SETTING =
  /(?:^|[-_.])(?:min|max|length|len|age|ttl|polic(?:y|ies)|rotation|days|hours|minutes|seconds|secs|ms|expir(?:y|es?|ation)|lifetime|interval|timeout|count|limit|attempts|retries|history|enabled|disabled|required|strength|cost|rounds|iterations|hash(?:er|ing)?|algorithm|encoder|scheme)(?:[-_.](?:in|at|after|age|length|days|hours|minutes|seconds|secs|ms|count))*$/i
const DURATION = /^(?:P(?:\d+[YMWD]){0,4}(?:T(?:\d+[HMS]){1,3})?|(?:\d+(?:ms|[smhdwy])){1,5})$/i
const REST_OF_NAME = /^([A-Za-z]+\d?(?:[-_.][A-Za-z]+\d?)*)(?:=|:)(?=[^=\s])(.+)$/

/**
 * `MIN_LENGTH=12` after `PASSWORD_` is the rest of a name with its value, and only the value decides. A setting excuses numbers,
 * durations and words, but never a random value. Null: no such rest.
 */
export function judgeRestOfName(secret: string, lead: string): boolean | null {
  const [, name, value] = REST_OF_NAME.exec(secret) ?? []
  if (name === undefined || value === undefined) return null
  const isSetting = SETTING.test(name)
  if (!isSetting && !/[-_.]$/.test(lead)) return null
  if (isSetting) return !DURATION.test(value) && (looksGenerated(value) || isMixedLetters(value))
  return (/\d/.test(value) || isMixedLetters(value)) && looksLikePassword(value)
}

/** `pass` alone is a verb, and `pass:` a result; directly before `=` it is a name. */
const PASSWORD =
  'passwords?|passwd|passphrase|passcode|pwd|(?<![A-Za-z])pw|(?<=[A-Za-z0-9]_)pass|(?<![A-Za-z])pass(?==\\S|["\'])'
/** The same password, of another place or time. */
const SUFFIX = '(?:[-_](?:prod|production|staging|stage|dev|test|old|new|primary|secondary|main|backup|\\d{1,3}))?'
const WORDS = '([A-Za-z]{2,}(?:[-_.][A-Za-z]{2,}){1,11})(?![\\w(/@\\[:=-]|\\.\\w)'

export const PASSPHRASE_RULES: readonly SecretRule[] = [
  {
    id: 'passphrase',
    keywords: 'pass|pwd|pw',
    pattern: new RegExp(
      `(?:${PASSWORD})${SUFFIX}["'\`]{0,2}(?:\\s{0,3}(?:=>|:=|=|:)\\s{0,3}|(?:\\s(?:of|for|on|at|to)(?:\\s[\\w@./-]{1,40}){1,5}?)?\\s(?:(?:is|was)(?:\\s(?:now|still|just))?|(?:(?:was|has been|got)\\s)?(?:changed|set|reset|updated|rotated)\\sto)\\s)["'\`]?${WORDS}`,
      'gi',
    ),
    // After a lower-case name and without quotes, `=` says no more than a sentence: programs and notes write variables and words there.
    accept: (secret, before, lead) => {
      const isQuoted = /["'`]$/.test(lead)
      const isSettingName = /^[A-Z0-9_]+$/.test(/^\w+/.exec(lead)![0]) && !/[a-z]$/.test(before)
      const isAssigned = isQuoted || (lead.includes('=') && isSettingName)
      if (/\$\{\w*$/.test(before)) return false
      return isPassphrase(secret, isAssigned ? 'assigned' : 'spoken')
    },
  },
  {
    id: 'passphrase-option',
    keywords: '--pass',
    pattern: new RegExp(`--pass(?:word|wd|phrase)?(?:=|\\s{1,3})["'\`]?${WORDS}`, 'g'),
    accept: (secret) => secret.includes('-') && isPassphrase(secret, 'assigned'),
  },
]
