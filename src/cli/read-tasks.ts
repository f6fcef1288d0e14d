import { z } from 'zod'
import type { LoopTask } from '../agents/loop-task.ts'
import { idSchema } from '../model/fields.ts'
import { plainIssue } from '../model/parse.ts'
import { parseYaml, readInput } from './input.ts'
import { invalid } from './parse-flags.ts'

const taskSchema = z.strictObject({
  id: idSchema,
  title: z.string().trim().min(1).max(1000),
  description: z.string().max(20_000).optional(),
  section: idSchema.optional(),
})
const tasksSchema = z.strictObject({ tasks: z.array(taskSchema).max(10_000) })

/** The tasks of a JSON or YAML file: a list, or an object with the list under `tasks`. Ids must be unique. */
export async function readTasks(file: string): Promise<LoopTask[]> {
  const content = await parseYaml(await readInput(file), file)
  const parsed = tasksSchema.safeParse(Array.isArray(content) ? { tasks: content } : content)
  if (!parsed.success) throw invalid('tasks', describeIssue(parsed.error.issues[0]!))
  const { tasks } = parsed.data
  const repeated = tasks.find(({ id }, position) => tasks.findIndex((task) => task.id === id) !== position)
  if (repeated !== undefined) throw invalid('tasks', `the id ${repeated.id} appears twice`)
  return tasks
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const [list, index, ...field] = path
  const place = typeof index === 'number' ? [`task ${index + 1}`, ...field] : [list, index].filter((part) => part)
  return `${place.length === 0 ? '' : `${place.join(', ')}: `}${plainIssue(message)}`
}
