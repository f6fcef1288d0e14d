import type { Memory } from '../../../model/memory.ts'

interface Message {
  /** Ids of memories that can be brought back. */
  undo?: readonly string[]
  /** Whether the list is read anew. Default: yes. */
  refresh?: boolean
  /** It is not quite what was wanted. */
  bad?: boolean
}

/** Headers that have the page say something, offer to bring memories back, and read its list anew. */
export function told(text: string, { undo = [], refresh = true, bad = false }: Message = {}): Record<string, string> {
  const events = { toast: { text, undo, bad }, ...(refresh ? { refresh: {} } : {}) }
  // Headers hold no more than Latin letters.
  const json = JSON.stringify(events).replace(
    /[\u007F-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { 'hx-trigger': json }
}

/** What became of words that somebody typed: the guard may hold them back, or trust them less than was asked. */
export function fate(done: string, memory: Memory, wanted: number): { text: string; bad: boolean } {
  const lowered = memory.confidence < wanted ? ` Its confidence is ${memory.confidence.toFixed(2)}.` : ''
  if (memory.trust === 'quarantined') {
    const text = `${done}, but held for review: it reads like an order. No agent is shown it until it is accepted.`
    return { text: text + lowered, bad: true }
  }
  const marked = memory.trust === 'flagged' ? ', marked as unverified: the guard found something in it' : ''
  return { text: `${done}${marked}.${lowered}`, bad: marked !== '' }
}
