import { z } from 'zod'
import { stepOf } from '../capture/lessons/session-lessons.ts'
import type { Step } from '../capture/output-event.ts'
import { invalidInput } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import type { Moment } from '../model/moment.ts'
import { isRecord, jsonOr } from '../text/json.ts'
import { HOOK_EVENTS } from './hooks.ts'
import { READS } from './read-tools.ts'
import { tool } from './tool.ts'

const inputSchema = z.strictObject({
  prompt: z.string().optional().describe('What you are asked to do'),
  tool: z.string().optional().describe('A tool that you are about to use, or have used'),
  input: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('Its command, or its whole input'),
  output: z.unknown().optional().describe('Its answer'),
  error: z.string().optional().describe('How it failed'),
  event: z.enum(HOOK_EVENTS).optional().describe('For hooks only'),
  session: idSchema.optional().describe('For hooks only'),
})
type Input = z.output<typeof inputSchema>

/** For a model that asks, and for Claude Code's hooks. */
export const recallTool = tool({
  name: 'memory_recall',
  title: 'What matters now',
  description: 'The few memories that matter now; often none. Give the prompt, a tool call, its error or its output.',
  annotations: READS,
  input: inputSchema,
  output: z.strictObject({ text: z.string(), memories: z.array(z.string()).describe('Ids') }),
  async run(desk, input) {
    const moment = toMoment(input)
    if (input.event !== undefined) {
      const session = desk.mayRecord ? input.session || null : null
      const call = { event: input.event, session, moment, step: toStep(input) }
      const text = await desk.hooks.answer(desk, call)
      return toHook(text)
    }
    if (moment === null) {
      throw invalidInput('prompt', 'The moment is missing: give prompt, tool, error or output.')
    }
    const memories = await desk.open('read')
    const session = desk.session === null ? {} : { session: desk.session }
    const { text, lines } = await memories.recall({ moment, ...session })
    const ids = lines.map(({ memory }) => memory.id)
    return { text: text === '' ? 'No memory matters here.' : text, value: { text, memories: ids } }
  },
  /** Errors of a hook's call are not shown to the agent. */
  failed: (input) => ((input as { event?: unknown } | null)?.event === undefined ? null : toHook('{}')),
})

/** Hooks read the text. */
function toHook(text: string) {
  return { text, value: { text, memories: [] } }
}

/** Null if it is empty or about one of our own tools. Hooks pass empty texts for unknown fields. */
function toMoment({ event, prompt, tool: name, input, output, error }: Input): Moment | null {
  if (name && OWN_TOOL.test(name)) return null
  const use = { ...(name ? { name } : {}), ...(input ? { input: readInput(input) } : {}) }
  if (error) return { kind: 'failure', ...use, error: endsOf(error) }
  const said = output === undefined || EDITS.test(name ?? '') ? '' : textOf(output)
  if (said !== '') return { kind: 'output', ...use, text: endsOf(said) }
  // The tool was called, and returned nothing.
  if (event === 'PostToolUse' || output !== undefined) return null
  if (name) return { kind: 'tool', ...use, name }
  return prompt ? { kind: 'prompt', text: prompt } : null
}

/** They answer with the text just written. */
const EDITS = /^(?:Edit|MultiEdit|Write|NotebookEdit)$/

/** A finished tool call, for drawing lessons. */
function toStep({ event, tool: name, input, output, error }: Input): Step | null {
  if (!name || OWN_TOOL.test(name) || (event !== 'PostToolUse' && event !== 'PostToolUseFailure')) return null
  const ok = event === 'PostToolUse'
  const text = ok ? textOf(output) : (error ?? '')
  return stepOf({ tool: name, input: input === undefined ? {} : readInput(input), ok, output: endsOf(text) })
}

const OWN_TOOL = /^mcp__.*nokosu.*__memory_\w+$/

/** A hook passes a tool's input as JSON. A command may begin with a brace, too. */
function readInput(input: NonNullable<Input['input']>): NonNullable<Input['input']> {
  if (typeof input !== 'string' || !input.startsWith('{')) return input
  const read = jsonOr(input, null)
  return isRecord(read) ? read : input
}

/** A hook passes a tool's answer as JSON, whose shape depends on the tool: only its strings are read. */
function textOf(output: unknown): string {
  return stringsIn(typeof output === 'string' ? jsonOr(output, output) : output).join('\n')
}

const DEEPEST = 6
const MOST_STRINGS = 1000

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return []
  return Object.values(value)
    .slice(0, MOST_STRINGS)
    .flatMap((each) => stringsIn(each, depth + 1))
}

/** Of a longer text only the beginning and the end are read. */
function endsOf(text: string): string {
  return text.length <= 2 * LONGEST ? text : `${text.slice(0, LONGEST)}\n${text.slice(-LONGEST)}`
}

const LONGEST = 10_000
