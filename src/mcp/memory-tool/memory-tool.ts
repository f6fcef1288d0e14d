import type { OwnMemories } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import type { Layer } from '../../model/layer.ts'
import { listing, numbered, occurrences, snippet } from './answers.ts'
import { type Command, commandSchema } from './command.ts'
import { Files, type StoredFile } from './files.ts'
import { parentsOf, ROOT, readPath } from './path.ts'
import { Refused } from './refused.ts'

export interface MemoryToolOptions {
  /** The owner of the files: `memory.as(identifiers)`. */
  memories: OwnMemories
  /** The layer that stores them. The caller must have its identifier. */
  layer: Layer
}

/**
 * The memory tool of Anthropic's API (`memory_20250818`) on top of this memory: takes the input of a tool call and returns the text of
 * its result. The model's mistakes are reported in the text, as the tool documents. A store failure rejects.
 */
export function createMemoryTool({ memories, layer }: MemoryToolOptions): (command: unknown) => Promise<string> {
  const files = new Files(memories, layer)
  return async (input) => {
    try {
      const command = commandSchema.safeParse(input)
      if (!command.success) throw new Refused(problemOf(command.error.issues[0]!))
      return await run(files, command.data)
    } catch (error) {
      if (error instanceof Refused) return error.message
      if (MemoryError.is(error) && error.code === 'CONFLICT') {
        return 'Error: The file was changed by somebody else meanwhile. View it again'
      }
      throw error
    }
  }
}

function problemOf({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `Invalid \`${path.map(String).join('.') || 'command'}\` parameter: ${message}`
}

function run(files: Files, command: Command): Promise<string> {
  switch (command.command) {
    case 'view':
      return view(files, readPath(command.path), command.view_range ?? null)
    case 'create':
      return create(files, readPath(command.path), command.file_text)
    case 'str_replace':
      return replace(files, readPath(command.path), command.old_str, command.new_str)
    case 'insert':
      return insert(files, readPath(command.path), command.insert_line, command.insert_text)
    case 'delete':
      return remove(files, readPath(command.path))
    case 'rename':
      return rename(files, readPath(command.old_path), readPath(command.new_path))
  }
}

async function view(files: Files, path: string, range: readonly [number, number] | null): Promise<string> {
  const file = path === ROOT ? null : await files.at(path)
  if (file !== null) {
    const lines = file.text.split('\n')
    const [from, to] = range ?? [1, -1]
    const first = Math.max(1, from)
    const shown = lines.slice(first - 1, to === -1 ? lines.length : to)
    return `Here's the content of ${path} with line numbers:\n${numbered(shown, first)}`
  }
  const inside = await files.under(path)
  if (inside.length === 0 && path !== ROOT) {
    throw new Refused(`The path ${path} does not exist. Please provide a valid path.`, { bare: true })
  }
  return listing(path, inside)
}

/** Creations in progress, by path: of several concurrent ones in this process, one succeeds. */
const CREATING = new Map<string, Promise<unknown>>()

async function create(files: Files, path: string, text: string): Promise<string> {
  const before = CREATING.get(path)
  const own = (before ?? Promise.resolve())
    // The previous call reports its own failure.
    .catch(() => {})
    .then(async () => {
      await requireFree(files, path, `File ${path} already exists`)
      await files.add(path, text)
    })
  CREATING.set(path, own)
  try {
    await own
  } finally {
    if (CREATING.get(path) === own) CREATING.delete(path)
  }
  return `File created successfully at: ${path}`
}

async function replace(files: Files, path: string, before: string, after: string): Promise<string> {
  const file = await requireFile(files, path, `The path ${path} does not exist. Please provide a valid path.`)
  const found = occurrences(file.text, before)
  const [only] = found
  if (only === undefined) {
    const why = `No replacement was performed, old_str \`${before}\` did not appear verbatim in ${path}.`
    throw new Refused(why, { bare: true })
  }
  if (found.length > 1) {
    const lines = found.map(({ line }) => line).join(', ')
    const why = `No replacement was performed. Multiple occurrences of old_str \`${before}\` in lines: ${lines}. Please ensure it is unique`
    throw new Refused(why, { bare: true })
  }
  const text = file.text.slice(0, only.at) + after + file.text.slice(only.at + before.length)
  await files.replace(file, path, text)
  return `The memory file has been edited.\n${snippet(text, only.at, after.length)}`
}

async function insert(files: Files, path: string, line: number, text: string): Promise<string> {
  const file = await requireFile(files, path, `The path ${path} does not exist`)
  const lines = file.text.split('\n')
  if (line < 0 || line > lines.length) {
    throw new Refused(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    )
  }
  lines.splice(line, 0, text.replace(/\n$/, ''))
  await files.replace(file, path, lines.join('\n'))
  return `The file ${path} has been edited.`
}

async function remove(files: Files, path: string): Promise<string> {
  if (path === ROOT) throw new Refused(`Cannot delete the ${ROOT} directory itself`)
  await files.remove(await requireAny(files, path))
  return `Successfully deleted ${path}`
}

async function rename(files: Files, from: string, to: string): Promise<string> {
  if (from === ROOT) throw new Refused(`Cannot rename the ${ROOT} directory itself`)
  const moved = await requireAny(files, from)
  await requireFree(files, to, `The destination ${to} already exists`)
  if (to.startsWith(`${from}/`)) throw new Refused(`The destination ${to} is inside ${from}`)
  for (const file of moved) await files.replace(file, to + file.path.slice(from.length), file.text)
  return `Successfully renamed ${from} to ${to}`
}

async function requireFile(files: Files, path: string, missing: string): Promise<StoredFile> {
  const file = path === ROOT ? null : await files.at(path)
  if (file !== null) return file
  const isFolder = path === ROOT || (await files.under(path)).length > 0
  throw new Refused(isFolder ? `The path ${path} is not a file.` : missing)
}

async function requireAny(files: Files, path: string): Promise<StoredFile[]> {
  const file = await files.at(path)
  const found = file === null ? await files.under(path) : [file]
  if (found.length === 0) throw new Refused(`The path ${path} does not exist`)
  return found
}

/** Neither this name nor a parent folder's name may be taken by a file. */
async function requireFree(files: Files, path: string, taken: string): Promise<void> {
  if (path === ROOT || (await files.at(path)) !== null || (await files.under(path)).length > 0) throw new Refused(taken)
  for (const parent of parentsOf(path)) {
    if ((await files.at(parent)) !== null) throw new Refused(`The path ${parent} is not a directory`)
  }
}
