import { judgeRestOfName } from './secret-passphrase.ts'
import type { SecretRule } from './secret-rule.ts'
import {
  HARMLESS_WORDS,
  isAlgorithm,
  isGibberish,
  isKeyId,
  isPath,
  isPlaceholder,
  isReference,
  isScrambled,
  isStoredUnder,
  isWordLike,
  looksGenerated,
  shannonEntropy,
} from './secret-value.ts'

/**
 * Secrets stated in a sentence, in any order: NAME is VALUE, NAME on HOST -> VALUE, VALUE is the NAME, VALUE as its NAME. The
 * value's shape decides how explicit the sentence must be: a generated password needs a secret word nearby, a plainer value
 * must be what the sentence names.
 */

/** Words for secrets, in the languages that agents write. Whole words if the script has words. */
const PASSWORD_WORDS =
  'passwords?|passwd|pass ?phrases?|passcodes?|pwd?|pass|psk|pin code|mots? de passe|mdp|passw[oö]rt(?:er|es)?|kennwort(?:es)?|zugangsdaten|zugangscode|passwortes|contrase(?:ñ|n)as?|clave(?: de (?:acceso|paso))?|palavra[- ]passe|senhas?|parola (?:d.ordine|chiave)|wachtwoord(?:en)?|wachtzin|hasł(?:o|a|em)|haslo|lösenord(?:et)?|salasana|adgangskoden?|passord(?:et)?|parool|heslo|jelszó|şifre|parolasi?|пароль|пароля|паролем|phrase|creds?|credentials?|login|community|unlock code|access code|kod dostępu|code d.accès|código de acceso|codice di accesso|w-?lan[- ]?schl(?:ü|ue)ssel|wi-?fi[- ]key|clé wi-?fi|wpa\\d? key|wpa\\d? psk'
const KEY_WORDS =
  'tokens?|pveapitoken|secrets?|api[- _]?keys?|keys?|bearer|jetons?|secreto|segredo|segreto|geheimnis|geheim|sekret|schl(?:ü|ue)ssel|cl(?:é|ef|e)s? (?:d.?)?(?:api|accès|acces)|clave de (?:la )?api|chiave|chave|sleutel|klucz|ключ|токен|totp|otp|2fa|mfa|seed'
/** Scripts without spaces between words. */
const UNSPACED_PASSWORD = 'パスワード|暗証番号|密码|密碼|口令|비밀번호|암호'
const UNSPACED_KEY = 'トークン|キー|秘密鍵|シークレット|令牌|密钥|密鑰|토큰'
/** Before `key` or `token` these make it public. */
const HARMLESS = `${HARMLESS_WORDS}|signing|answer`
const word = (words: string) => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`
const PASSWORD = `(?:${word(PASSWORD_WORDS)}|${UNSPACED_PASSWORD})`
const NAME = `(?:${word(PASSWORD_WORDS)}|(?<!(?:${HARMLESS})[-_ ])${word(KEY_WORDS)}|${UNSPACED_PASSWORD}|${UNSPACED_KEY})`

/** Never called a secret by a sentence, whatever else it says. */
const NEVER_SECRET =
  'public|publishable|fingerprints?|thumbprint|check ?sums?|digests?|hash(?:es)?|sha-?\\d+|md5|commit|rev(?:ision)?|uuid|kid|etag|cursor|nonce|serial|ids?|trace|span|certificate|pinning|signed by'
/** Makes a value public although a secret word is nearby, if this word is nearer. */
const PUBLIC =
  'public|publishable|primary|foreign|partition|sort|cache|idempotency|host|fingerprints?|thumbprint|check ?sums?|digests?|hash(?:es)?|sha-?\\d+|md5|commit|rev(?:ision)?|merged?|build|image|layer|version|serial|requests?|trace|span|event|session|tenant|container|volume|instance|cluster|ids?|uuid|kid|etag|cursor|nonce|path|url|address|branch|tag|release|certificate|arn|named?|called|user(?:name)?|account|host ?name|server|file|project|repo(?:sitory)?|model|port|header|scope|alg|issuer|audience|field|variable|setting|option|flag|parameter|column|table|endpoint|service|role|group|policy|type|format|length|rotation|reset|prompt|manager|helper|store|vault|safe|rule'

/** What may lead from a name to its value. */
const NOW = 'now|jetzt|nun|maintenant|désormais|ahora|agora|ora|adesso|nu|teraz|теперь'
/** `changed to`, and what the small word means only there. */
const CHANGED =
  '(?:chang\\p{L}+|modifi\\p{L}+|cambi\\p{L}+|mud\\p{L}+|alterad[ao]|gewijzigd|veranderd|aangepast|ändra[dt]\\p{L}*|endret|ændret)\\s+(?:to|en|à|a|in|para|naar|till|til)'
const IS = `(?:is|was|are|be|equals|reads|becomes?|to|as|est|sont|devient|ist|lautet|heißt|wird|auf|es|son|é|è|sono|diventa|são|para|zijn|wordt|jest|brzmi|to jest|na|är|er|on|это|на|${NOW}|${CHANGED})`
const SIGN = '(?:[:：=]|=>|->|→|⇒|»|—|–|は|が|を|是|为|為|改为|改成|는|은|\\|)'
const OPEN = '[\\s"\'`*_([{「『“”«>]*'
const WORDS_BETWEEN = '(?:[\\s,;]+[^\\s,;:=]{1,40}){0,9}?'

const DIRECT = new RegExp(
  `(${NAME})(?:["'\`*_)\\]]{0,4}\\s*(?:\\d\\s+)?|${WORDS_BETWEEN}[\\s,]*(?:${IS}(?![\\p{L}])|${SIGN}|new (?:one|value)|(?:old|it)\\s*->))${OPEN}$`,
  'iu',
)
const DIRECT_PASSWORD = new RegExp(DIRECT.source.replace(NAME, PASSWORD), 'iu')
const AFTERWARDS = new RegExp(
  `^["'\`*_)\\]」』”»]*[\\s,]*(?:\\(|as |for |is |was |are |opens |est |ist |es |é |è |serves as |used as |works as |です|（)?[^.!?]{0,60}?(${NAME})`,
  'iu',
)
const LEADS_ON = /^["'`*_)\]」』”»]*\s*(?:\(|as\b|is\b|was\b|for\b|opens\b|est\b|ist\b|es\b|é\s|è\s|to\b)/iu
const USES = /(?:^|\s)(?:using|typing|type|enter|entering|with|by sending|sending)\s+["'`*(]*$/i
const LOGIN_SENSE =
  /\b(?:log(?:s|ged|ging)? ?in|login|connects? as|user|account|auth\w*|unlock\w*|root|sudo|admin\w*|ssh)\b/i

const PUBLIC_WORD = new RegExp(`(?<![\\p{L}\\p{N}])(?:${PUBLIC})(?![\\p{L}\\p{N}])`, 'giu')
const NEVER_WORD = new RegExp(`(?<![\\p{L}\\p{N}])(?:${NEVER_SECRET})(?![\\p{L}\\p{N}])`, 'giu')
const NAME_WORD = new RegExp(NAME, 'giu')

type Shape = 'generated' | 'plain' | 'letters' | 'hex' | null

const BASE32 = /^[A-Z2-7]{16,64}$/
const IDENTIFIER =
  /^(?:v?\d+(?:[.\-_]\d+)*(?:[.\-_][a-z]+\d*)*|[A-Z]+_[A-Z0-9_]+|[\w.-]+@[\w-]+\.\w+|#?\d+|[0-9A-HJKMNP-TV-Z]{26}|[A-Z_]{4,}[:=].*)$/

/** The kind of value. Null: nothing that anyone would keep secret. */
function shapeOf(value: string): Shape {
  // Most words of a text end here.
  if (value.length < 12 && /^[a-z-]+$/i.test(value) && !/[A-Z].*[A-Z]/.test(value)) return null
  if (value.length < 8 || isPlaceholder(value) || IDENTIFIER.test(value) || /:\/\/|\$\{/.test(value)) return null
  if (shannonEntropy(value) < 2.2 || isAlgorithm(value)) return null
  if (/^[0-9a-f]+$/.test(value)) return /[a-f]/.test(value) && /\d/.test(value) && value.length >= 20 ? 'hex' : null
  if (/^\d+$/.test(value)) return value.length >= 16 ? 'plain' : null
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return 'hex'
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length
  const signs = value.match(/[!#$%^&*?~@+=]/g)?.length ?? 0
  // A generated password may begin like a variable or a path, but does not continue like one.
  if (kinds >= 3 && signs >= 1 && /\d/.test(value) && !/^\$[\w{(]|[({[]|^[-/.~@]|\w=\w.*=|&&|\/\//.test(value)) {
    return /^[A-Z][a-z]+\d+[!#?]$/.test(value) || signs < 2 ? 'plain' : 'generated'
  }
  if (isReference(value) || isPath(value) || /[/\\@]/.test(value) || /\.[a-z]{2,}/i.test(value)) return null
  // The format of passwords that Apple and Google generate.
  if (/^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/.test(value)) return 'letters'
  if (BASE32.test(value) && isGibberish(value)) return 'plain'
  if (/^[A-Za-z]+$/.test(value))
    return isScrambled(value) ? 'generated' : value.length >= 12 && isGibberish(value) ? 'letters' : null
  if (/^[a-z]+(?:-[a-z]+){2,}-\d+$/.test(value)) return 'letters'
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value)) return null
  if (BASE32.test(value)) return 'plain'
  if (isWordLike(value) || !looksGenerated(value)) return null
  return kinds >= 3 && value.length >= 10 && shannonEntropy(value) >= 2.8 && !/[-_.]/.test(value)
    ? 'generated'
    : 'plain'
}

function lastAt(pattern: RegExp, text: string): number {
  let at = -1
  for (const match of text.matchAll(pattern)) at = match.index + match[0].length
  return at
}

function firstAt(pattern: RegExp, text: string): number {
  const found = [...text.matchAll(pattern)][0]
  return found === undefined ? Number.POSITIVE_INFINITY : found.index
}

function isTold(value: string, before: string, after: string): boolean {
  const shape = shapeOf(value)
  if (shape === null) return false
  const sentence = before.slice(Math.max(before.lastIndexOf('. '), before.lastIndexOf('\n')) + 1)
  const rest = after.split(/[.!?]\s|\n/, 1)[0]!
  const named = lastAt(NAME_WORD, sentence)
  const isNamedBefore = named >= 0 && named > lastAt(PUBLIC_WORD, sentence)
  const isNamedAfter =
    LEADS_ON.test(rest) &&
    AFTERWARDS.test(rest) &&
    firstAt(NAME_WORD, rest) < firstAt(PUBLIC_WORD, rest.replace(/\b(?:user|account|service|role)\b/gi, ' '))
  const isDirect = DIRECT.test(sentence) && named > lastAt(NEVER_WORD, sentence)
  switch (shape) {
    case 'generated':
      return isDirect || isNamedBefore || isNamedAfter || (USES.test(sentence) && LOGIN_SENSE.test(sentence))
    case 'plain':
      return isDirect || isNamedAfter || (USES.test(sentence) && LOGIN_SENSE.test(sentence))
    case 'letters':
      return DIRECT_PASSWORD.test(sentence) || (isNamedAfter && new RegExp(PASSWORD, 'iu').test(rest))
    default:
      return (isDirect && isNamedBefore) || isNamedAfter
  }
}

const KEYWORDS = [
  'pass|pwd|pw|psk|mdp|kennwort|zugang|contrase|clave|senha|parola|wacht|hasł|haslo|lösen|salasana|adgangs|heslo|jelsz|şifre|парол|phrase|cred|login|communit',
  'wifi|wi-fi|wpa|token|secret|key|bearer|jeton|segred|segret|geheim|sekret|schl|clé|clef|chiave|chave|sleutel|klucz|ключ|токен|otp|2fa|mfa|seed',
  "unlock|log in|logs in|connect as|パスワード|暗証|密码|密碼|口令|비밀번호|암호|トークン|キー|kod |código|codice|access code|code d'|秘密|令牌|密钥|토큰|user|auth",
].join('|')

export const TOLD_RULES: readonly SecretRule[] = [
  {
    id: 'header-secret',
    keywords: 'auth|key|token|secret',
    pattern:
      /(?:-H\s{1,3}["']?|\bheaders?\s{1,3}["'`]?)[\w-]{0,40}(?:auth|key|token|secret)[\w-]{0,20}["'`]?[:=\s]\s{0,3}["'`]?([^\s"'`$<{]{12,512})/gi,
    accept: (secret) => looksGenerated(secret),
  },
  {
    id: 'told-secret',
    keywords: KEYWORDS,
    pattern: /([^\s"'`<>|,;()[\]{}（）「」『』：、。\\]{8,256})/g,
    accept: (secret, before, lead, after) =>
      !isKeyId(secret, before + lead) &&
      !isStoredUnder(secret, before) &&
      judgeRestOfName(secret, before) !== false &&
      (isTold(secret.replace(/^[*_=:]+|[*_.:!?]+$/g, ''), before, after) || isTold(secret, before, after)),
  },
]
