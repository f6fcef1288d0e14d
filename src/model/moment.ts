import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** Raw output, commands and file contents, including control characters. Only the beginning and end are used. */
const raw = z.string().max(LIMITS.candidate)
/** A tool's input as agents send it: an object, or just the command. */
const toolInput = z.union([raw, z.record(z.string(), z.unknown())])
const toolName = z.string().max(LIMITS.identifier)

/** An event in a session for which a memory may be relevant. */
export const momentSchema = z.discriminatedUnion('kind', [
  /** The user sends a prompt. */
  z.strictObject({ kind: z.literal('prompt'), text: raw }),
  /** A tool is about to be used. */
  z.strictObject({ kind: z.literal('tool'), name: toolName, input: toolInput.optional() }),
  /** A tool call failed. */
  z.strictObject({ kind: z.literal('failure'), name: toolName.optional(), input: toolInput.optional(), error: raw }),
  /** A tool call returned. */
  z.strictObject({ kind: z.literal('output'), name: toolName.optional(), input: toolInput.optional(), text: raw }),
  /** An orchestrator assigns a task. */
  z.strictObject({ kind: z.literal('task'), title: raw, description: raw.optional() }),
])
export type Moment = z.output<typeof momentSchema>
export type MomentKind = Moment['kind']

const FORMAT = /^moment:(\w+)(?: (.+))?$/

/** The name under which a showing at a moment is recorded: `moment:tool terraform apply`. */
export function momentFormat(kind: MomentKind, action: string | null): string {
  return action === null ? `moment:${kind}` : `moment:${kind} ${action}`
}

export function isMomentFormat(format: string): boolean {
  return FORMAT.test(format)
}

/** When a memory was shown, for people: `before terraform apply`. */
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

/** After compaction a session is shown its memories again, recorded under this name: the earlier context is lost. */
export const AFTER_COMPACTION = 'compact'

const AT_START = new Set(['operational', 'file', 'workflow'])
