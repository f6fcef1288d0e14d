import { answerLines } from './answer-lines.ts'

export interface TierEnd {
  /** `unclear`: it did not say. */
  ending: 'all clear' | 'resolved' | 'escalates' | 'needs a person' | 'unclear'
  /** Problems passed to the next tier, one per `ESCALATE:` line. */
  escalations: string[]
  /** Decisions for a person, one per `NEEDS A PERSON:` line. */
  forPerson: string[]
}

/**
 * Reads the whole answer. One service may be resolved while another is not, so requests for help outweigh
 * what is resolved. The exception is an escalation repeated word for word from the hand-off and resolved further down.
 */
export function readTierEnd(said: string, handOff: string): TierEnd {
  const lines = answerLines(said).map(({ text }) => text)
  const settled = lines.findLastIndex((text) => /^(?:RESOLVED(?::|[.!]?$)|ALL CLEAR[.!]?$)/i.test(text))
  const given = new Set(answerLines(handOff).map(({ text }) => text))
  const own = lines.filter((text, at) => at > settled || !given.has(text))
  const forPerson = named(own, 'NEEDS A PERSON')
  const escalations = named(own, 'ESCALATE')
  if (forPerson.length > 0) return { ending: 'needs a person', escalations, forPerson }
  if (escalations.length > 0) return { ending: 'escalates', escalations, forPerson }
  const last = settled < 0 ? '' : lines[settled]!
  const ending = settled < 0 ? 'unclear' : /^resolved/i.test(last) ? 'resolved' : 'all clear'
  return { ending, escalations, forPerson }
}

/** In capitals the word counts with anything after it. Otherwise it needs a colon, because prose may begin with it. */
function named(lines: readonly string[], word: string): string[] {
  return lines.flatMap((text) => {
    const [, said, colon, rest] = new RegExp(`^(${word})(?![A-Za-z_])(:?)(.*)$`, 'is').exec(text) ?? []
    return said === undefined || (colon === '' && said !== word) ? [] : [rest!.trim() || text]
  })
}
