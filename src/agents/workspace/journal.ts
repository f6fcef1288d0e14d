import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bytes, toBytes } from './block.ts'
import type { WorkspaceContent } from './content.ts'
import { readIfThere, replaceFile, statIfThere } from './files.ts'
import type { Holder } from './holder.ts'
import type { Shield } from './shield.ts'

/** How to undo one file. */
export interface FileEntry {
  /** Its name in the workspace. */
  name: string
  /** The file that we write: the target, where the name in the workspace is a link that stays inside. */
  path: string
  /** A link that leads out of the workspace and gave way to a file of ours: what it said. */
  link: string | null
  /** There was a file, or a link's target. */
  existed: boolean
  /** Hash of the content under ours: the file's own, or, where git has one that is not checked out, git's. */
  base: string
  /** What we put before it. */
  ours: Bytes
  /** What we had put there before, while ours is on its way to replace it. */
  earlier?: Bytes
  /** The whole file is ours, without markers. */
  plain: boolean
  /** In the repository, where git tracks it. */
  tracked: { path: string; skipped: boolean; skip: boolean } | null
}

/** Written before the first change and removed after the last: whoever comes next can undo what was cut off. */
export interface Journal {
  version: 1
  workspace: string
  files: FileEntry[]
  /** Folders that were not there. */
  folders: string[]
  shield: Shield
  /** Those who need it, the newest last. None for what was injected by hand. */
  holds: Hold[]
}

/** What one of them wants to find there. */
export interface Hold extends Holder {
  content: WorkspaceContent
}

export function hashOf(bytes: Bytes): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex')
}

/** The journals of one repository, or of one workspace without any. */
export class JournalFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  #file(workspace: string): string {
    return join(this.path, `${hashOf(toBytes(workspace)).slice(0, 16)}.json`)
  }

  /** Where the original of a file is kept while ours is in its place. */
  original(workspace: string, position: number): string {
    return `${this.#file(workspace)}.${position}`
  }

  async read(workspace: string): Promise<Journal | null> {
    return parse(await readIfThere(this.#file(workspace)))
  }

  async write(journal: Journal): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    await replaceFile(this.#file(journal.workspace), toBytes(JSON.stringify(journal)))
  }

  async remove(workspace: string): Promise<void> {
    const file = this.#file(workspace)
    for (const position of [0, 1]) await rm(`${file}.${position}`, { force: true })
    await rm(file, { force: true })
  }

  /** All of them. One whose workspace is gone, as a removed worktree is, goes too: there is nothing left to undo. */
  async readAll(): Promise<Journal[]> {
    const journals: Journal[] = []
    for (const name of await readdir(this.path).catch(() => [])) {
      if (!name.endsWith('.json')) continue
      const journal = parse(await readIfThere(join(this.path, name)))
      if (!journal) continue
      if (await statIfThere(journal.workspace)) journals.push(journal)
      else await this.remove(journal.workspace)
    }
    return journals
  }
}

function parse(bytes: Bytes | null): Journal | null {
  if (bytes === null) return null
  const journal = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8')) as Journal
  return journal.version === 1 ? journal : null
}
