import { fingerprint, type MemoryDocument } from './memory-document.ts'

/** What was equal on both sides at the last sync, by the id in the file. */
export interface Synced {
  /** The memory's own id, which differs if the file came from another store. */
  memory: string
  file: string
  fingerprint: string
}

export interface FileSide {
  path: string
  id: string | null
  document: MemoryDocument
}

export interface StoreSide {
  id: string
  document: MemoryDocument
}

export type ActionKind = 'write' | 'remove' | 'add' | 'update' | 'delete' | 'conflict' | 'same'

export interface Action {
  /**
   * For the files: `write`, `remove`. For the store: `add`, `update`, `delete`. `conflict`: both sides changed since the last sync.
   */
  kind: ActionKind
  /** The id in the file; null if it has none. */
  id: string | null
  file: FileSide | null
  memory: StoreSide | null
  /** A resolved conflict: the other side's text is replaced. */
  decided?: true
}

export type Preference = 'files' | 'store'

/** The steps that make both sides equal. What changed on both sides is left alone without a preference. */
export function planSync(
  sides: { files: readonly FileSide[]; memories: readonly StoreSide[]; synced: ReadonlyMap<string, Synced> },
  prefer: Preference | null,
): Action[] {
  const { synced } = sides
  const idOf = new Map([...synced].map(([id, { memory }]) => [memory, id]))
  const memories = new Map(sides.memories.map((memory) => [idOf.get(memory.id) ?? memory.id, memory]))
  const files = new Map(sides.files.flatMap((file) => (file.id === null ? [] : [[file.id, file] as const])))
  const unnamed = sides.files.filter(({ id }) => id === null)
  const known = [...new Set([...memories.keys(), ...files.keys()])].map((id) => {
    const [file = null, memory = null] = [files.get(id), memories.get(id)]
    return decide({ id, file, memory }, synced.get(id)?.fingerprint ?? null, prefer)
  })
  return [...known, ...unnamed.map((file): Action => ({ kind: 'add', id: null, file, memory: null }))]
}

function decide(sides: Omit<Action, 'kind'>, before: string | null, prefer: Preference | null): Action {
  const [file, memory] = [sides.file, sides.memory].map((side) => (side === null ? null : fingerprint(side.document)))
  if (file === memory) return { ...sides, kind: 'same' }
  if (before === null && (file === null || memory === null)) return { ...sides, kind: file === null ? 'write' : 'add' }
  if (before !== null && file === before) return { ...sides, kind: toFile(sides) }
  if (before !== null && memory === before) return { ...sides, kind: toStore(sides) }
  if (prefer === null) return { ...sides, kind: 'conflict' }
  return { ...sides, kind: prefer === 'store' ? toFile(sides) : toStore(sides), decided: true }
}

function toFile({ memory }: Omit<Action, 'kind'>): ActionKind {
  return memory === null ? 'remove' : 'write'
}

function toStore({ file, memory }: Omit<Action, 'kind'>): ActionKind {
  if (file === null) return 'delete'
  return memory === null ? 'add' : 'update'
}
