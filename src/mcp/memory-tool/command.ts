import { z } from 'zod'

const path = z.string()

/** The commands of the tool `memory_20250818`, as a model sends them. */
export const commandSchema = z.discriminatedUnion('command', [
  z.object({ command: z.literal('view'), path, view_range: z.tuple([z.int(), z.int()]).nullish() }),
  z.object({ command: z.literal('create'), path, file_text: z.string() }),
  z.object({ command: z.literal('str_replace'), path, old_str: z.string(), new_str: z.string().default('') }),
  z.object({ command: z.literal('insert'), path, insert_line: z.int(), insert_text: z.string() }),
  z.object({ command: z.literal('delete'), path }),
  z.object({ command: z.literal('rename'), old_path: path, new_path: path }),
])

export type Command = z.output<typeof commandSchema>
export type MemoryToolCommand = z.input<typeof commandSchema>
