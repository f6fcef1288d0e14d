import { parseAst } from 'rolldown/parseAst'
import type { Generated } from './generate.ts'

/** Inserts every mutation into its file, each behind a switch that the test setup turns on. */
export function instrument(text: string, mutants: readonly Generated[]): string {
  let result = text
  for (const mutant of [...mutants].sort((a, b) => b.start - a.start)) {
    const { start, end } = mutant
    result = result.slice(0, start) + switched(mutant) + result.slice(end)
  }
  return result
}

// Other processes run these files too, without the switch.
function switched({ id, kind, code, put }: Generated): string {
  const on = `globalThis.__mutant?.(${id})`
  // In braces, because a following `else` would otherwise belong to this `if`.
  return kind === 'statement' ? `{ if (!${on}) { ${code} } }` : `(${on} ? (${put}) : (${code}))`
}

/** Makes every function of a file report that it ran: tests near a constant are those that run functions beside it. */
export function announce(text: string, ids: readonly number[]): string {
  const call = `globalThis.__near?.(${ids.join(',')})`
  const edits: { at: number; put: string }[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const each of node) visit(each)
      return
    }
    const { type, body, expression } = node as { type?: string; body?: Span; expression?: boolean }
    if (type !== undefined && /Function/.test(type) && body) {
      if (body.type === 'BlockStatement') edits.push({ at: body.start + 1, put: `${call};` })
      else if (expression) edits.push({ at: body.start, put: `(${call}, ` }, { at: body.end, put: ')' })
    }
    for (const value of Object.values(node)) visit(value)
  }
  visit(parseAst(text, { lang: 'ts' }))
  let result = text
  for (const { at, put } of edits.sort((a, b) => b.at - a.at)) result = result.slice(0, at) + put + result.slice(at)
  return result
}

interface Span {
  type: string
  start: number
  end: number
}
