import type { Memory } from '../model/memory.ts'
import { includesPhrase, tokenize } from '../text/tokens.ts'
import { askedKind } from './asked-kind.ts'
import type { Ranking } from './ranking.ts'
import { siblingOf } from './siblings.ts'
import { writerOf } from './writer.ts'

/** How a memory fits what a question asks for, apart from what its words and its meaning share with it. */
export interface Fit {
  /** Added to its meaning: what speaks against it. */
  against: number
  /** Added besides where its words answer most of the question: it holds the kind of thing that is asked for. */
  told: number
  /** It speaks of a sibling of the code, the version or the number that is asked for. */
  sibling: boolean
}

const FITS: Fit = { against: 0, told: 0, sibling: false }

/** Tells how memories fit a question; `memories` are those that were found. */
export function fitsOf(query: string, memories: readonly Memory[], ranking: Ranking): (memory: Memory) => Fit {
  const isSibling = ranking.sibling === 1 ? null : siblingOf(query)
  const tells = ranking.askedKind === 0 ? null : askedKind(query)
  const services = ranking.otherService === 0 ? [] : namedServices(query, memories)
  if (isSibling === null && tells === null && services.length === 0) return () => FITS
  return (memory) => {
    // A line of a thread means little by itself: what it lacks may stand beside it.
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
