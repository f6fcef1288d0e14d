import type { Memory } from '../../model/memory.ts'
import type { AddResult } from '../../model/outcome.ts'
import { shortenAtWord } from '../../text/shorten.ts'

interface Toast {
  /** Ids of memories that can be restored. */
  undo?: readonly string[]
  /** Whether to reload the list. Default: yes. */
  refresh?: boolean
  /** A partial success. */
  bad?: boolean
}

/** Headers that make the page show a message, offer to restore memories, and reload its list. */
export function toast(text: string, { undo = [], refresh = true, bad = false }: Toast = {}): Record<string, string> {
  const events = { toast: { text, undo, bad }, ...(refresh ? { refresh: {} } : {}) }
  // Headers only hold Latin letters.
  const json = JSON.stringify(events).replace(
    /[\u007F-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { 'hx-trigger': json }
}

const MOST_CORRECTED = 3

export function describeAdded(added: AddResult, wanted: number): { text: string; bad: boolean } {
  const { outcome, memory, weakened, review } = added
  // It travels in a header, and a toast has room for a few.
  const corrects = weakened.slice(0, MOST_CORRECTED).map(({ content, confidence, active }) => {
    const standing = active ? `now ${confidence.toFixed(2)}` : 'no longer shown'
    return `“${shortenAtWord(content, 100)}” (${standing})`
  })
  const more = weakened.length > corrects.length ? ` and ${weakened.length - corrects.length} more` : ''
  const corrected = corrects.length === 0 ? '' : ` Corrects: ${corrects.join(', ')}${more}.`
  if (review === 'held') return { text: 'Already held for review.', bad: true }
  if (outcome === 'duplicate') return { text: 'Already known. Nothing changed.', bad: false }
  if (outcome === 'reinforce')
    return { text: `Already known. Its confidence is now ${memory.confidence.toFixed(2)}.${corrected}`, bad: false }
  const { text, bad } = describeSaved('Added', memory, wanted)
  return { text: text + corrected, bad }
}

/** The outcome of a memory typed by a person: the guard may hold it, or trust it less than requested. */
export function describeSaved(done: string, memory: Memory, wanted: number): { text: string; bad: boolean } {
  const lowered = memory.confidence < wanted ? ` Its confidence is ${memory.confidence.toFixed(2)}.` : ''
  if (memory.trust === 'quarantined') {
    const text = `${done}, but held for review: it reads like an order. No agent is shown it until it is accepted.`
    return { text: text + lowered, bad: true }
  }
  const marked = memory.trust === 'flagged' ? ', marked as unverified: the guard found something in it' : ''
  return { text: `${done}${marked}.${lowered}`, bad: marked !== '' }
}
