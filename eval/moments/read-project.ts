import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { categorySchema } from '../../src/model/memory.ts'
import type { Moment } from '../../src/model/moment.ts'

const memorySchema = z.object({
  id: z.string(),
  category: categorySchema,
  service: z.string().nullable(),
  content: z.string(),
})
const stepSchema = z.object({
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  ok: z.boolean(),
  output: z.string(),
})
const sessionSchema = z.object({
  id: z.string(),
  prompt: z.string(),
  steps: z.array(stepSchema),
  needs: z.array(z.object({ memory: z.string(), before: z.number(), cue: z.string() })),
  fine: z.array(z.string()),
})

export type ProjectMemory = z.output<typeof memorySchema>
export type ProjectSession = z.output<typeof sessionSchema>
export interface Project {
  name: string
  memories: ProjectMemory[]
  sessions: ProjectSession[]
}

/** A folder with `memories.jsonl` and `sessions.jsonl`, or a folder of such folders. */
export function readProjects(path: string): Project[] {
  const folder = resolve(path)
  if (isProject(folder)) return [readProject(folder)]
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  const found = names.map((name) => join(folder, name)).filter(isProject)
  if (found.length === 0) throw new Error(`${path} holds no project: no folder with memories.jsonl and sessions.jsonl`)
  return found.map(readProject)
}

function isProject(folder: string): boolean {
  return existsSync(join(folder, 'memories.jsonl')) && existsSync(join(folder, 'sessions.jsonl'))
}

function readProject(folder: string): Project {
  return {
    name: basename(folder),
    memories: readLines(join(folder, 'memories.jsonl'), memorySchema),
    sessions: readLines(join(folder, 'sessions.jsonl'), sessionSchema),
  }
}

function readLines<Row>(path: string, schema: z.ZodType<Row>): Row[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return []
    const read = schema.safeParse(JSON.parse(line))
    if (read.success) return [read.data]
    const [issue] = read.error.issues
    throw new Error(`${path}:${i + 1}: ${issue!.path.join('.')}: ${issue!.message}`)
  })
}

/** The moments of a session in order, each with the step it counts for: it is in time for a need at that step or later. */
export function momentsOf({ prompt, steps }: ProjectSession): { at: number; moment: Moment }[] {
  const moments: { at: number; moment: Moment }[] = [{ at: 0, moment: { kind: 'prompt', text: prompt } }]
  for (const [at, { tool: name, input, ok, output }] of steps.entries()) {
    moments.push({ at, moment: { kind: 'tool', name, input } })
    moments.push({
      at: at + 1,
      moment: ok ? { kind: 'output', name, input, text: output } : { kind: 'failure', name, input, error: output },
    })
  }
  return moments
}
