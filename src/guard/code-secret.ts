import type { SecretRule } from './secret-rule.ts'
import { isWordLike, shannonEntropy } from './secret-value.ts'

/** Recovery codes for accounts, and door codes: short, in groups, often only digits. */
const RECOVERY =
  '(?:recovery|backup|scratch|rescue|emergency|fallback|one[- ]time|reserve)[- ](?:codes?|keys?)|codes? de (?:secours|récupération)|wiederherstellungs(?:codes?|schlüssel)|notfall-?codes?|backup-?codes?|códigos? de (?:recuperación|respaldo|recuperação|segurança)|codici? di (?:recupero|backup)|herstelcodes?|kody? (?:zapasowe|odzyskiwania)|коды? восстановления|резервны[ей] коды?|リカバリーコード|恢复码|备用码|복구 코드'
const DOOR =
  '(?:door|gate|alarm|entry|safe|lock ?box|unlock|voicemail)[- ](?:codes?|combination|pin)|(?:SIM|HSM|card|token) PIN|PIN'

const NAMED = new RegExp(`(?:${RECOVERY})([^\\n]{0,80})$`, 'iu')
/** The code follows its name directly, or after punctuation or a verb. */
const LEADS = /^\s*$|[:=：→»]|->|\b(?:is|are|was|were|use|est|sont|ist|sind|lautet|es|son|é|è|są|to)\b/iu
/** Other words after these names belong to a program. */
const OTHER =
  /(?:commit|build|version|release|line|lines|issue|sha|hash|id|port|pid|path|file|block|step|since|until|at|on)\s+["'`(]?$/i

/** One code: equal groups, or one run. */
function isCode(value: string): boolean {
  if (!/\d/.test(value) || shannonEntropy(value) < 1.5) return false
  const groups = value.split(/[- ]/)
  if (groups.length > 1) {
    if (new Set(groups.map((group) => group.length)).size > 1) return false
    // `4096-byte` has a number and a word; a code mixes letters and digits inside its groups, or has only digits.
    return groups.every((group) => /^\d+$/.test(group)) || groups.some((group) => /[a-z]\d|\d[a-z]/i.test(group))
  }
  if (/^\d+$/.test(value)) return value.length >= 6
  return value.length >= 8 && /[a-z]/i.test(value) && !isWordLike(value)
}

export const CODE_RULES: readonly SecretRule[] = [
  {
    id: 'recovery-code',
    keywords:
      'recovery|backup|scratch code|rescue|emergency|fallback|one-time|one time|reserve|secours|récup|wiederher|notfall|código|codic|herstelcode|kod|код|リカバリ|恢复码|备用码|복구',
    pattern:
      /(?<![\w./:@-])(?:[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){1,9}|\d{4} \d{4}|[A-Za-z0-9]{6,64})(?![\w/@]|[.:-]\w)/g,
    accept: (secret, before) => {
      const lead = NAMED.exec(before)?.[1]
      return lead !== undefined && LEADS.test(lead) && !OTHER.test(lead) && isCode(secret)
    },
  },
  {
    id: 'door-code',
    keywords: 'pin| code|-code|combination',
    pattern: new RegExp(
      `(?<![\\w-])(?:${DOOR})(?:\\s(?:for|of|on|to|at|in)\\s[^.:=\\n]{1,40}?)?(?:\\s(?:is|was|now)(?:\\snow)?|\\s?[:=])?\\s(\\d{4,8})(?![\\w.:-])`,
      'g',
    ),
  },
]
