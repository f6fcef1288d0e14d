import { z } from 'zod'
import { readLines } from './read-file.ts'

const texts = z.array(z.string().min(1))
const askedSchema = z.object({
  id: z.string().min(1),
  memory: z.string().min(1),
  answers: texts,
  not: texts.default([]),
})
export type Asked = z.output<typeof askedSchema>

/** The format of a file of memories with queries. */
export const ASKED_FORMAT = `One JSON object a line: {"id": "1", "memory": "Logs are kept for 14 days", "answers": ["how long are logs kept"], "not": ["who reads the logs"]}
  id       a name of its own for each memory
  memory   the text to be found
  answers  queries that it answers; the first three are asked: a question, a situation, a phrase
  not      queries near its topic that it does not answer; may be left out`

/** An unreadable file, with the problem and its place. */
export class FormatError extends Error {}

/** Reads memories with queries. A FormatError names the line and field of the first problem. */
export function readAsked(path: string): Asked[] {
  const seen = new Map<string, number>()
  const lines = readLines(path)
  if (lines.length === 0) throw new FormatError(`${path} is empty\n\n${ASKED_FORMAT}`)
  return lines.map(({ text, number }) => {
    const fail = (problem: string): never => {
      throw new FormatError(`${path}, line ${number}: ${problem}\n\n${ASKED_FORMAT}`)
    }
    const read = askedSchema.safeParse(parse(text, fail))
    if (!read.success) {
      const { path: at, message } = read.error.issues[0]!
      return fail(`${at.length === 0 ? 'the line' : `"${at.join('.')}"`}: ${message}`)
    }
    const before = seen.get(read.data.id)
    if (before !== undefined) fail(`"id": "${read.data.id}" is that of line ${before} too`)
    seen.set(read.data.id, number)
    return read.data
  })
}

function parse(text: string, fail: (problem: string) => never): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return fail(`not JSON: ${(error as Error).message}`)
  }
}
