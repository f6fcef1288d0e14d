import { parse } from 'yaml'
import { isRecord } from '../text/json.ts'

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/
/** A line after an opening `---` that could be a field: otherwise it is a horizontal rule. */
const UNCLOSED = /^\uFEFF?---[ \t]*\r?\n[\w-]+:/

export interface FrontMatter {
  /** Empty if they cannot be read, and then `isBroken`. */
  fields: Record<string, unknown>
  isBroken: boolean
  body: string
  /** The number of the body's first line. */
  firstLine: number
}

/** The fields above a Markdown text, and the rest. */
export function readFrontMatter(text: string): FrontMatter {
  const match = FRONT_MATTER.exec(text)
  if (match === null) return { fields: {}, isBroken: UNCLOSED.test(text), body: text, firstLine: 1 }
  const body = text.slice(match[0].length)
  const fields = readFields(match[1] ?? '')
  return { fields: fields ?? {}, isBroken: fields === null, body, firstLine: match[0].split('\n').length }
}

/** Null for input that is not quite YAML, as other programs write it. */
function readFields(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 }) ?? {}
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
