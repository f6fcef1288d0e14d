import { link, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Bytes, makeBlock, toBytes } from './block.ts'
import type { WorkspaceContent } from './content.ts'
import { codeOf, replaceFile, statIfThere } from './files.ts'
import type { Holder } from './holder.ts'
import type { Journal, JournalFolder } from './journal.ts'
import { IMPORT, INSTRUCTIONS, MEMORY, type Place } from './place.ts'
import { assertIgnored, type PlannedFile, planFile } from './plan.ts'
import { forgetSize, lookAway, pathIn, type Repository } from './repository.ts'
import { raiseShields } from './shield.ts'
import { undo } from './undo.ts'

/** One file's content: alone, and as a block. */
export interface Written {
  text: string
  block: Bytes
}

/** What is to stand in the two files; null for no memory file. */
export function contentOf({ instructions, memory }: WorkspaceContent): {
  memory: Written | null
  instructions: Written
} {
  const text = [instructions.trim(), ...(memory === '' ? [] : [IMPORT])].join('\n\n').trim()
  return {
    memory: memory === '' ? null : { text: memory, block: makeBlock(memory) },
    instructions: { text, block: makeBlock(text) },
  }
}

/** Looks first, then writes the journal, then raises the shields, then puts the files there. A failure undoes what was done. */
export async function apply(place: Place, content: WorkspaceContent, holder?: Holder): Promise<void> {
  const { workspace, repository, journals } = place
  const { memory, instructions } = contentOf(content)
  const files = [
    // The file before the line that imports it.
    ...(memory ? [await planMemory(place, memory)] : []),
    await planFile(workspace, INSTRUCTIONS, repository, () => ({ bytes: instructions.block, plain: false })),
  ]
  const journal: Journal = {
    version: 1,
    workspace,
    files: files.map(({ baseBytes, shield, unchanged, ...entry }) => entry),
    folders: await missingFolders(workspace),
    shield: {
      exclude: files.flatMap((file) => file.shield.exclude),
      filter: files.flatMap((file) => file.shield.filter),
    },
    holds: holder === undefined ? [] : [{ ...holder, content }],
  }
  await journals.write(journal)
  try {
    if (repository) await shelter(repository, journals, files)
    for (const [position, file] of files.entries()) await putFile(place, file, position)
  } catch (error) {
    await undo(place)
    throw error
  }
}

/** Where there is a file already, ours is a block in it. */
export function planMemory({ workspace, repository }: Place, { text, block }: Written): Promise<PlannedFile> {
  return planFile(workspace, MEMORY, repository, (hasOwn) =>
    hasOwn ? { bytes: block, plain: false } : { bytes: toBytes(text), plain: true },
  )
}

export async function putFile(
  { workspace, repository, journals }: Place,
  file: PlannedFile,
  position: number,
): Promise<void> {
  await keepOriginal(file, journals.original(workspace, position))
  await mkdir(dirname(file.path), { recursive: true })
  await replaceFile(file.path, file.ours + file.baseBytes)
  if (repository && file.unchanged && !file.tracked?.skip) {
    await forgetSize(repository, pathIn(repository, file.path), file.unchanged)
  }
}

/** Everything that keeps the files out of commits, before there is anything to keep out. */
export async function shelter(
  repository: Repository,
  journals: JournalFolder,
  files: readonly PlannedFile[],
): Promise<void> {
  await raiseShields(
    repository,
    (await journals.readAll()).map((journal) => journal.shield),
  )
  for (const file of files) {
    await assertIgnored(repository, file)
    if (file.tracked?.skip) await lookAway(repository, file.tracked.path, true)
  }
}

export async function missingFolders(workspace: string): Promise<string[]> {
  const folders = ['.claude', '.claude/memory'].map((folder) => join(workspace, folder))
  const present = await Promise.all(folders.map(statIfThere))
  return folders.filter((_, position) => present[position] === null)
}

/** The very file, with its times and all else it has, for as long as ours takes its place. A copy would not be it. */
async function keepOriginal(file: PlannedFile, original: string): Promise<void> {
  if (!file.existed || file.link !== null) return
  try {
    await link(file.path, original)
  } catch (error) {
    // Another disk, or a file that we may not link: its content is what must come back, and that it does.
    if (!['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EEXIST'].includes(codeOf(error) ?? '')) throw error
  }
}
