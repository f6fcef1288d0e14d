/** A value with its name next to it and not before it: `{"name": "DB_PASSWORD", "value": "..."}`, in JSON, YAML, XML or Terraform. */
export interface NamedValue {
  name: string
  value: string
  /** Of the value. */
  start: number
}

/** Keys whose value names what their neighbours contain. */
export const LABEL =
  /^(?:name|key|variable|var|env|env_?(?:name|var)|field|setting|option|param(?:eter)?|property|header|label|id|title)$/i

const Q = '\\\\?["\']?'
const LABELS = '(?:name|key|variable|var|env|field|setting|option|param(?:eter)?|property|header|label|id|title)'
const VALUES = '(?:value|val|default|secret|content|data|text|string)'
const LEAD = '(?:\\s{0,3}(?:=>|[:=>])\\s{0,4}|\\s{1,3}(?=["\']))'
const NAME = '([\\w.$/-](?:[\\w.$/ -]{0,62}[\\w.$/-])?)'
const VALUE = '(?:\\\\?"([^"\\\\]{4,512})|\'([^\'\\\\]{4,512})|([^\\s"\'<>,;{}()\\\\]{4,512}))'
/** Up to three other keys may come between the two. */
const OTHERS = `(?:${Q}\\w{1,24}${Q}\\s{0,3}[:=]\\s{0,3}${Q}[\\w.-]{0,40}${Q}[\\s,;|]{1,6}){0,3}`
const GAP = `(?:</\\w{1,16}>)?[\\s,;|{}-]{0,8}${OTHERS}<?`
const NAME_FIRST = new RegExp(
  `(?<![\\w-])${LABELS}${Q}${LEAD}${Q}${NAME}${Q}${GAP}${Q}(?<![\\w-])${VALUES}${Q}${LEAD}${VALUE}`,
  'gid',
)
const VALUE_FIRST = new RegExp(
  `(?<![\\w-])${VALUES}${Q}${LEAD}${VALUE}${Q}${GAP}${Q}(?<![\\w-])${LABELS}${Q}${LEAD}${Q}${NAME}`,
  'gid',
)
/** `DB_PASSWORD: {value: ...}`. */
const NAME_AROUND = new RegExp(
  `([\\w.-]{2,64})${Q}\\s{0,3}[:=]?\\s{0,4}\\{\\s{0,8}${OTHERS}${Q}${VALUES}${Q}${LEAD}${VALUE}`,
  'gid',
)
const MENTIONED = /value|val\b|default|secret|content|data|text|string/i

export function namedValues(text: string): NamedValue[] {
  if (!MENTIONED.test(text)) return []
  return [
    ...found(text, NAME_FIRST, 1, [2, 3, 4]),
    ...found(text, VALUE_FIRST, 4, [1, 2, 3]),
    ...found(text, NAME_AROUND, 1, [2, 3, 4]),
  ]
}

function found(text: string, pattern: RegExp, name: number, values: readonly number[]): NamedValue[] {
  return [...text.matchAll(pattern)].map((match) => {
    const value = values.find((group) => match[group] !== undefined)!
    return { name: match[name]!, value: match[value]!, start: match.indices![value]![0] }
  })
}

/** What precedes a value like an assignment does. A name's last words say what it is: `db.primary password` is a password. */
export function leadOf(name: string): string {
  return `${name.replace(/[\s"'`<>]+/g, '_').slice(-64)}=`
}
