import type { Candidate } from '../model/candidate.ts'

export interface Declaration {
  /** The observation without the quotation. */
  content: string
  declares?: NonNullable<Candidate['declares']>
  /** The quotations as written, for the metadata. */
  quotes: { was?: string; confirms?: string }
}

/**
 * Removes a trailing `(was: ...)` or `(confirms: ...)` from an observation. Parentheses inside the quotation must
 * balance. A quotation that is not at the end, or not closed, stays. If both are declared, the correction
 * is the relation, and both are kept as quotes.
 */
export function takeDeclaration(observation: string): Declaration {
  const quotes: Declaration['quotes'] = {}
  let content = observation.trim()
  for (;;) {
    const trailing = trailingQuotation(content)
    if (trailing === null || quotes[trailing.word] !== undefined) break
    quotes[trailing.word] = trailing.text
    content = trailing.before
  }
  if (quotes.was !== undefined) return { content, quotes, declares: { relation: 'corrects', text: quotes.was } }
  if (quotes.confirms === undefined) return { content, quotes }
  // A confirmation without words of its own gets the quoted text as its content.
  const declares = { relation: 'confirms', text: quotes.confirms } as const
  return { content: content === '' ? quotes.confirms : content, quotes, declares }
}

function trailingQuotation(text: string): { word: 'was' | 'confirms'; text: string; before: string } | null {
  const stop = /\)([.!]?)$/.exec(text)
  if (stop === null) return null
  const open = openingOf(text, stop.index)
  if (open < 0) return null
  const match = /^(was|confirms):(.*)$/is.exec(text.slice(open + 1, stop.index))
  const quoted = match?.[2]?.trim()
  if (!match?.[1] || !quoted) return null
  const before = text.slice(0, open).trimEnd()
  const closing = /[\p{L}\p{N})]$/u.test(before) ? (stop[1] ?? '') : ''
  return { word: match[1].toLowerCase() as 'was' | 'confirms', text: quoted, before: before + closing }
}

/** The index of the parenthesis that matches the one at `close`, or -1. */
function openingOf(text: string, close: number): number {
  let depth = 0
  for (let at = close; at >= 0; at--) {
    if (text[at] === ')') depth++
    else if (text[at] === '(' && --depth === 0) return at
  }
  return -1
}
