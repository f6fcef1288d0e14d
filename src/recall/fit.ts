import type { Memory } from '../model/memory.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import { askedKind } from './asked-kind.ts'
import type { Ranking } from './ranking.ts'
import { siblingOf } from './siblings.ts'
import { writerOf } from './writer.ts'

/** How well a memory fits a question, apart from shared words and meaning. */
export interface Fit {
  /** Added to the score by meaning: 0 or a penalty. */
  against: number
  /** Added if its words also answer most of the question: it contains the requested kind of answer. */
  told: number
  /** It is about a sibling of the code, version or number in the question. */
  sibling: boolean
}

const FITS: Fit = { against: 0, told: 0, sibling: false }

/** Rates how well memories fit a question; `memories` are those that were found. */
export function fitsOf(query: string, memories: readonly Memory[], ranking: Ranking): (memory: Memory) => Fit {
  const isSibling = ranking.sibling === 1 ? null : siblingOf(query)
  const tells = ranking.askedKind === 0 ? null : askedKind(query)
  const services = ranking.otherService === 0 ? [] : namedServices(query, memories)
  if (isSibling === null && tells === null && services.length === 0) return () => FITS
  return (memory) => {
    // A line of a thread means little by itself: its neighbours may contain what it lacks.
    if (memory.thread !== null) return FITS
    const sibling = isSibling?.(`${memory.service ?? ''} ${memory.content}`) ?? false
    const tellsIt = tells?.(memory.content) ?? null
    const lacks = tellsIt === false && memory.occurredAt === null ? ranking.askedKind : 0
    const elsewhere = isElsewhere(memory, services) ? ranking.otherService : 0
    return { against: lacks + elsewhere, told: tellsIt ? ranking.askedKind : 0, sibling }
  }
}

/** The services that the query names, as tokens. */
function namedServices(query: string, memories: readonly Memory[]): (readonly string[])[] {
  const tokens = tokenize(query)
  const services = new Map(memories.filter(({ service }) => service !== null).map((memory) => [memory.service, memory]))
  return [...services.values()].map(writerOf).filter((name) => includesPhrase(tokens, name))
}

/** Whether a memory is about another service than those named, and does not mention them. */
function isElsewhere(memory: Memory, services: readonly (readonly string[])[]): boolean {
  if (services.length === 0 || memory.service === null) return false
  const own = [...tokenize(memory.service), '', ...tokenize(memory.content)]
  return !services.some((name) => includesPhrase(own, name))
}
