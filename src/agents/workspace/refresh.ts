import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { contentOf, missingFolders, planMemory, putFile, shelter, type Written } from './apply.ts'
import { type Bytes, toBytes } from './block.ts'
import type { WorkspaceContent } from './content.ts'
import { readIfThere, replaceFile, statIfThere } from './files.ts'
import { type Holder, isAlive } from './holder.ts'
import { type FileEntry, type Hold, hashOf, type Journal } from './journal.ts'
import { localJournals, MEMORY, type Place } from './place.ts'
import { unusable } from './plan.ts'
import { forgetSize, indexEntry, isUnchanged, pathIn, type Repository } from './repository.ts'
import { restOf, writtenIn } from './undo.ts'

/** A workspace that living runs hold: `holds` has at least one of them, the newest last. */
export interface HeldPlace extends Place {
  journal: Journal
  holds: Hold[]
}

/** Null when nobody who is still alive holds the workspace. */
export async function findHeld(place: Place): Promise<HeldPlace | null> {
  const { workspace, repository } = place
  // The agent may have made the repository only now: then the journal is where it was without one.
  const places = [place, ...(repository ? [{ ...place, repository: null, journals: localJournals(workspace) }] : [])]
  for (const each of places) {
    const journal = await each.journals.read(workspace)
    const alive = await Promise.all((journal?.holds ?? []).map(isAlive))
    const holds = (journal?.holds ?? []).filter((_, position) => alive[position])
    if (journal && holds.length > 0) return { ...each, journal, holds }
  }
  return null
}

/** One more needs the workspace: its content takes the place of what is there, and no moment is without any. */
export async function joinHolders(held: HeldPlace, content: WorkspaceContent, holder?: Holder): Promise<void> {
  const holds = holder === undefined ? held.holds : [...held.holds, { ...holder, content }]
  await refresh({ ...held, holds }, content, { again: true })
}

/** One of several lets go. The workspace is then the newest's of those who stay. */
export async function leaveHolders(held: HeldPlace, stay: Hold[]): Promise<void> {
  const newest = stay.at(-1)!
  // One that was killed may have been the newest.
  if (held.journal.holds.at(-1)?.id === newest.id) await held.journals.write({ ...held.journal, holds: stay })
  else await refresh({ ...held, holds: stay }, newest.content, { again: false })
}

/**
 * Changes what we wrote, in place: what was there before us stays what it was for the first. A memory file that the new content
 * has none of stays for those who were promised one; nothing imports it. `again`: also where the agent removed it.
 */
async function refresh(held: HeldPlace, content: WorkspaceContent, { again }: { again: boolean }): Promise<void> {
  const { workspace, repository, journals, holds } = held
  const wanted = contentOf(content)
  let journal: Journal = { ...held.journal, holds }
  if (wanted.memory && !journal.files.some(({ name }) => name === MEMORY)) {
    journal = await addMemory({ ...held, journal }, wanted.memory)
  }
  const planned = await Promise.all(journal.files.map((file) => planChange(file, wanted, again)))
  const changes = planned.filter((each) => each !== null)
  const changed = new Map(changes.map(({ entry }) => [entry.name, entry]))
  const files = journal.files.map((file) => changed.get(file.name) ?? file)
  const folders = [...new Set([...journal.folders, ...(await missingFolders(workspace))])]
  // Both contents are in the journal while either may be on the disk.
  await journals.write({ ...journal, files, folders })
  for (const { entry, rest } of changes) await rewrite(repository, entry, rest)
  if (changes.length > 0)
    await journals.write({ ...journal, files: files.map((file) => settle(file, changed)), folders })
}

/** A file that a killed process left in between, and that was not changed now, still is. */
function settle(file: FileEntry, changed: ReadonlyMap<string, FileEntry>): FileEntry {
  const { earlier, ...settled } = file
  return changed.has(file.name) ? settled : file
}

interface Change {
  entry: FileEntry
  /** What is in the file besides ours. */
  rest: Bytes
}

async function planChange(
  file: FileEntry,
  wanted: ReturnType<typeof contentOf>,
  again: boolean,
): Promise<Change | null> {
  const written = file.name === MEMORY ? wanted.memory : wanted.instructions
  if (written === null) return null
  const present = await statIfThere(file.path)
  if (!present?.isFile() && !again) return null
  if (present && !present.isFile()) throw unusable(file.name, 'it is no file any more')
  const ours = file.plain ? toBytes(written.text) : written.block
  const bytes = await readIfThere(file.path)
  // That it is not there is what we have to come back to.
  if (bytes === null) return { entry: { ...file, link: null, existed: false, base: hashOf(''), ours }, rest: '' }
  const earlier = writtenIn(file, bytes)
  if (earlier === ours && bytes.startsWith(ours)) return null
  return { entry: { ...file, ours, earlier }, rest: restOf(file, bytes) }
}

async function rewrite(repository: Repository | null, { path, ours }: FileEntry, rest: Bytes): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (!repository) return replaceFile(path, ours + rest)
  const name = pathIn(repository, path)
  const known = await indexEntry(repository, name)
  const unchanged = known && !known.skipped && (await isUnchanged(repository, name, known))
  await replaceFile(path, ours + rest)
  if (unchanged) await forgetSize(repository, name, known)
}

/** The first content had no memories, this one has. */
async function addMemory(held: HeldPlace, memory: Written): Promise<Journal> {
  const { workspace, repository, journals, journal: before } = held
  const planned = await planMemory(held, memory)
  const { baseBytes, shield, unchanged, ...entry } = planned
  const journal: Journal = {
    ...before,
    files: [...before.files, entry],
    folders: [...before.folders, ...(await missingFolders(workspace))],
    shield: {
      exclude: [...before.shield.exclude, ...shield.exclude],
      filter: [...before.shield.filter, ...shield.filter],
    },
  }
  await journals.write(journal)
  try {
    if (repository) await shelter(repository, journals, [planned])
    await putFile(held, planned, before.files.length)
    return journal
  } catch (error) {
    await journals.write(before)
    if (repository) await shelter(repository, journals, [])
    throw error
  }
}
