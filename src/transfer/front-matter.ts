import { parse } from 'yaml'
import { isRecord } from '../text/json.ts'

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/

/** The fields above a Markdown text, and the rest. Fields that cannot be read are none; `firstLine` is the number of the body's first line. */
export function readFrontMatter(text: string): { fields: Record<string, unknown>; body: string; firstLine: number } {
  const match = FRONT_MATTER.exec(text)
  if (match === null) return { fields: {}, body: text, firstLine: 1 }
  const body = text.slice(match[0].length)
  return { fields: readFields(match[1]!), body, firstLine: match[0].split('\n').length }
}

function readFields(text: string): Record<string, unknown> {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 })
    return isRecord(value) ? value : {}
  } catch {
    // Other programs write what is not quite YAML; the text below is worth reading all the same.
    return {}
  }
}
