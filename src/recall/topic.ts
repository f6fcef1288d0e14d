import { isVague } from './faint.ts'
import { queryTerms } from './terms.ts'

const ABOUT = '(?:about|on|regarding|concerning)'
const TROUBLE = '(?:issues?|problems?|troubles?|bugs?|pitfalls|gotchas|caveats|quirks)'
const OF = '(?:with|of|in|for|around|about|on)'
const NOTES = '(?:anything|something|info(?:rmation)?|notes?|memories|knowledge|details|facts)'
const END = '\\s*[?.!]*\\s*$'

/** Phrases that ask for everything about something and name nothing themselves. */
const WAYS = [
  `^what (?:all )?(?:do|did|have) (?:we|you|i|they) (?:already )?(?:know|have|remember|learn|learned|noted?|recorded?) ${ABOUT} (?<topic>.+?)${END}`,
  `^what(?:['’]s| is) (?:already )?(?:known|noted|recorded|remembered) ${ABOUT} (?<topic>.+?)${END}`,
  `^(?:please )?(?:(?:can|could) you )?(?:tell|remind) (?:me|us) (?:(?:everything|all|more|something|what (?:you|we) know) )?${ABOUT} (?<topic>.+?)${END}`,
  `^(?:is there |do we have |do you have |have we got |got |find |show (?:me )?)?(?:any |all |some )?${NOTES} (?:(?:known|noted|recorded) )?${ABOUT} (?<topic>.+?)${END}`,
  `^(?:(?:are|were) there |what are |do we have |show (?:me )?|list )?(?:(?:any|all|some|the|our) )*known ${TROUBLE} ${OF} (?<topic>.+?)${END}`,
  `^(?:(?:are|were) there |do we have )?any ${TROUBLE} ${OF} (?<topic>.+?)${END}`,
  `^(?:issues|problems|troubles?|bugs|pitfalls|gotchas|caveats|quirks) (?:with|around) (?<topic>.+?)${END}`,
  `^(?:do|did|have) (?:we|you) (?:already )?(?:know|have|remember|learned?|noted?|recorded?|heard?) ${NOTES} ${ABOUT} (?<topic>.+?)${END}`,
  `^is (?:there )?${NOTES} (?:already )?(?:known|noted|recorded|remembered) ${ABOUT} (?<topic>.+?)${END}`,
  `^(?:known )?(?!known |any )(?<topic>\\S+(?: \\S+){0,2}) (?:known )?(?:issues|problems|gotchas|pitfalls|quirks)${END}`,
  `^was (?:wissen wir|ist bekannt|ist) (?:schon |bereits )?(?:über|zu) (?<topic>.+?)(?: bekannt)?${END}`,
  `^(?:gibt es |haben wir )?(?:irgendwelche )?(?:bekannte )?(?:probleme|fehler|schwierigkeiten) (?:mit|bei) (?:der |dem |den )?(?<topic>.+?)${END}`,
  `^(?:que|qu['’]est-ce que l['’]on) (?:sait-on|savons-nous|sait) (?:de|sur) (?<topic>.+?)${END}`,
  `^¿?qué sabemos (?:de|sobre) (?<topic>.+?)${END}`,
  // Without the flag u, which would make a search compile them twice as long.
].map((way) => new RegExp(way, 'i'))

/** The subject of a query that asks for everything about it: "What do we know about X" finds what "X" finds. */
export function topicOf(query: string): string {
  const plain = query.trim().replace(/\s+/g, ' ')
  for (const way of WAYS) {
    const topic = way.exec(plain)?.groups?.topic
    if (topic !== undefined && !isVague(queryTerms(topic))) return topic
  }
  return query
}
