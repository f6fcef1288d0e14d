/** The kind of answer that a question asks for. Some kinds can be recognised in a memory in any language that writes digits. */
interface Kind {
  asks: RegExp
  tells: RegExp
}

const UNIT =
  '(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|nights?|weeks?|months?|years?|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|secondes?|heures?|jours?|semaines?|mois|segundos?|minutos?|horas?|días?|semanas?|meses|años?)'
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?'
/** Other languages have too many words for times, so there any digit counts. */
const ENGLISH = /^[\x00-\x7F]*$/
const DIGIT = /\p{Nd}/u

const KINDS: readonly Kind[] = [
  {
    asks: /\bhow (?:long|soon|old|quickly|fast)\b|\bwie lange\b|\bcombien de temps\b|\bcuánto (?:tiempo|tarda)\b/i,
    tells: new RegExp(
      `\\d[\\d.,k]*\\s*(?:-\\s*\\d+\\s*)?${UNIT}\\b|\\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|half|few|several)\\s+(?:an\\s+)?${UNIT}\\b|\\b(?:minutes|hours|days|weeks|seconds|months|years|overnight|forever|indefinitely)\\b`,
      'i',
    ),
  },
  {
    asks: /^(?:when|(?:at )?what time|(?:on )?(?:which|what) (?:day|date)|wann|quand|cuándo)\b/i,
    tells: new RegExp(
      `\\d{1,2}:\\d\\d|\\b(?:${WEEKDAY}|${MONTH})\\b|\\b(?:night(?:ly)?|daily|weekly|monthly|hourly|yearly|quarter(?:ly)?|every|midnight|noon|morning|evening|today|tomorrow|yesterday|until|after|before|during|since|UTC)\\b|\\d{4}-\\d\\d|\\bQ[1-4]\\b|\\d(?:st|nd|rd|th)\\b|\\d\\s*(?:am|pm)\\b`,
      'i',
    ),
  },
  {
    asks: /\bhow (?:many|much|often|big|large|far|deep)\b|\b(?:which|what) ports?\b|\bversion\b|\bwie ?viele?\b|\bwie oft\b|\bcombien\b|\bcuánt[oa]s?\b/i,
    tells: /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|half|none|never|unlimited|latest)\b/i,
  },
]

/** Returns a test for texts that contain the requested kind of answer; null if the question asks for no such kind. */
export function askedKind(query: string): ((content: string) => boolean) | null {
  const kind = KINDS.find(({ asks }) => asks.test(query))
  if (kind === undefined) return null
  return (content) => kind.tells.test(content) || (!ENGLISH.test(content) && DIGIT.test(content))
}
