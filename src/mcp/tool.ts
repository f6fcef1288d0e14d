import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { OwnMemories } from '../engine/nokosu.ts'
import { parseInput } from '../model/parse.ts'
import { toFailedResult } from './failure.ts'
import type { Hooks } from './hooks.ts'

/** `recall`: a hook waits, so everything that can be done later is deferred. */
export type Intent = 'recall' | 'read' | 'write'

export interface Desk {
  /** The engine as the client sees it. Fails with MISSING_IDENTIFIER if the client has no identity. */
  open(intent: Intent): Promise<OwnMemories>
  /** The run that the client belongs to, if any. */
  session: string | null
  /** The session it speaks for: repeats within it count once. */
  speaker: string | null
  /** Distinguishes clients of one engine. */
  client: string
  /** Whether showings may be recorded. */
  mayRecord: boolean
  hooks: Hooks
  now(): Date
}

export interface ToolAnswer<Output> {
  text: string
  value: Output
}

export interface Tool<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  input: Input
  output: Output
  run(desk: Desk, input: z.output<Input>): Promise<ToolAnswer<z.input<Output>>>
  /** The answer to a failed call, instead of the error; null: the error. */
  failed?(given: unknown): ToolAnswer<z.input<Output>> | null
}

export function tool<Input extends z.ZodType, Output extends z.ZodType>(definition: Tool<Input, Output>): Tool {
  return definition as unknown as Tool
}

/** No tool reaches outside the store. */
const CLOSED_WORLD = { openWorldHint: false }

export function registerTool(server: McpServer, desk: Desk, each: Tool): void {
  const { name, title, description, annotations, input, output, run, failed } = each
  server.registerTool(
    name,
    {
      title,
      description,
      annotations: { ...annotations, ...CLOSED_WORLD },
      inputSchema: published(input),
      outputSchema: published(output),
    },
    async (given: unknown): Promise<CallToolResult> => {
      try {
        return toResult(await run(desk, parseInput(input, given, name)))
      } catch (error) {
        const instead = failed?.(given) ?? null
        return instead === null ? toFailedResult(error) : toResult(instead)
      }
    },
  )
}

function toResult({ text, value }: ToolAnswer<unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: value as Record<string, unknown> }
}

/**
 * The schema shown to clients. The SDK does not use it: inputs are parsed above, so errors have our own code and
 * field names, and outputs are ours.
 */
function published<Schema extends z.ZodType>(schema: Schema) {
  const { jsonSchema } = schema['~standard']
  const short = (side: 'input' | 'output') => (options: Parameters<typeof jsonSchema.input>[0]) => {
    const { $schema: _, ...rest } = jsonSchema[side](options)
    return rest
  }
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'nokosu',
      jsonSchema: { input: short('input'), output: short('output') },
      validate: (value: unknown) => ({ value }),
    },
  }
}
