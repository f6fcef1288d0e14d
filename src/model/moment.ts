import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** Output, commands and file contents as they come: control characters and all. Only its beginning and end are looked at. */
const raw = z.string().max(LIMITS.candidate)
/** A tool's input, as an agent gives it: an object, or its command alone. */
const toolInput = z.union([raw, z.record(z.string(), z.unknown())])
const toolName = z.string().max(LIMITS.identifier)

/** Something that happens in a session, at which a memory may matter. */
export const momentSchema = z.discriminatedUnion('kind', [
  /** What a person asks for. */
  z.strictObject({ kind: z.literal('prompt'), text: raw }),
  /** A tool is about to be used. */
  z.strictObject({ kind: z.literal('tool'), name: toolName, input: toolInput.optional() }),
  /** It failed. */
  z.strictObject({ kind: z.literal('failure'), name: toolName.optional(), input: toolInput.optional(), error: raw }),
  /** It answered. */
  z.strictObject({ kind: z.literal('output'), name: toolName.optional(), input: toolInput.optional(), text: raw }),
  /** An orchestrator hands over a task. */
  z.strictObject({ kind: z.literal('task'), title: raw, description: raw.optional() }),
])
export type Moment = z.output<typeof momentSchema>
export type MomentKind = Moment['kind']

const FORMAT = /^moment:(\w+)(?: (.+))?$/

/** The name under which the showing of a moment is recorded: `moment:tool terraform apply`. */
export function momentFormat(kind: MomentKind, action: string | null): string {
  return action === null ? `moment:${kind}` : `moment:${kind} ${action}`
}

export function isMomentFormat(format: string): boolean {
  return FORMAT.test(format)
}

/** When a session was shown something, for people: `before terraform apply`. */
export function describeShowing(format: string): string {
  const [, kind, action = 'a tool call'] = FORMAT.exec(format) ?? []
  switch (kind) {
    case 'prompt':
      return 'at the prompt'
    case 'task':
      return 'for the task'
    case 'tool':
      return `before ${action}`
    case 'failure':
      return `after ${action} failed`
    case 'output':
      return `after ${action}`
    default:
      if (format === AFTER_COMPACTION) return 'after a compaction'
      return AT_START.has(format) ? 'at the start' : format
  }
}

/** A session that was compacted is shown its memories again, under this name: what moments showed it before is lost. */
export const AFTER_COMPACTION = 'compact'

const AT_START = new Set(['operational', 'file', 'workflow'])
