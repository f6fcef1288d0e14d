import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installCommands, pluginFolder } from '../claude-code/install-plugin.ts'
import { MemoryError } from '../model/errors.ts'
import { stateFolder } from '../remote/spool-folders.ts'
import { addPlugin, hasPlugin, hasTraces, removePlugin } from './claude-plugin.ts'
import { type Client, type ClientName, type ConfigFile, clientsOf, type Environment } from './clients.ts'
import { hasAll, withEntries, withoutEntries } from './edit.ts'
import { isSame } from './entry.ts'
import { findProgram, isOnPath, type Program } from './program.ts'
import { fingerprint, makeFolder, readText, removeEmpty, SetupRecord, type Touched, writeText } from './record.ts'

/** One planned change. */
export interface Change {
  path: string
  before: string | null
  /** Null: the file is removed. */
  after: string | null
  /** A command to run instead of a file change. */
  command?: readonly string[]
}

/** What setup would do for one client. */
export interface ClientPlan {
  name: ClientName
  label: string
  folder: string
  effect: string
  isFound: boolean
  changes: Change[]
  /** Why nothing can be done for it. */
  problem: string | null
}

/** Writes Nokosu into the configuration of agents and editors, and removes it again. */
export class Setup {
  readonly program: Program
  readonly record: SetupRecord
  readonly #clients: readonly Client[]
  readonly #env: Environment
  readonly #only: readonly ClientName[] | null

  constructor(packageRoot: string, env: Environment, only: readonly ClientName[] | null = null) {
    this.program = findProgram(packageRoot, env)
    this.record = new SetupRecord(join(stateFolder(env), 'nokosu', 'setup'))
    this.#clients = clientsOf(this.program, env)
    this.#env = env
    this.#only = only
  }

  /** Read-only. */
  plan(): ClientPlan[] {
    return this.#each((client) => {
      if (!this.#isFound(client)) return []
      if (client.name === 'claude-code') return this.#planPlugin(client)
      return client.files.flatMap((file) => this.#planFile(file))
    })
  }

  /** Read-only. */
  planUndo(): ClientPlan[] {
    return this.#each((client) => {
      const touched = this.record.touched.filter((each) => each.client === client.name)
      if (client.name !== 'claude-code') return touched.map((each) => this.#planRemoval(each))
      if (touched.length === 0 && !hasTraces(client.folder)) return []
      const path = client.folder
      return [{ path, before: null, after: null, command: ['claude', 'plugin', 'uninstall', 'nokosu@nokosu'] }]
    })
  }

  /** What is still missing: another setup may have run since planning, or the user may have edited the file. */
  apply({ name }: ClientPlan): Promise<void> {
    const client = this.#clients.find((each) => each.name === name)!
    return this.record.exclusively(() => this.#apply(client))
  }

  /** What is there now. */
  undo({ name }: ClientPlan): Promise<void> {
    const client = this.#clients.find((each) => each.name === name)!
    return this.record.exclusively(() => this.#undo(client))
  }

  async #apply(client: Client): Promise<void> {
    if (client.name === 'claude-code') {
      if (!hasPlugin(client.folder)) await addPlugin(client.folder, this.record, this.#env)
      return
    }
    for (const { path, after } of client.files.flatMap((file) => this.#planFile(file))) {
      const file = client.files.find((each) => each.path === path)!
      const known = this.record.find(path)
      const base = this.#base(file)
      const made = known?.made ?? makeFolder(dirname(path))
      makeFolder(dirname(path))
      const { format, entries } = file
      const copied = entries.map((entry) => ({ ...entry, at: [...entry.at] }))
      this.record.add({ client: client.name, path, format, entries: copied, hash: fingerprint(after!), made }, base)
      writeText(path, after!)
    }
  }

  async #undo(client: Client): Promise<void> {
    if (client.name === 'claude-code') return removePlugin(client.folder, this.record, this.#env)
    const touched = this.record.touched.filter((each) => each.client === client.name)
    const changes = touched.map((each) => this.#planRemoval(each))
    for (const [i, { path, after }] of changes.entries()) {
      if (after !== null) writeText(path, after)
      else rmSync(path, { force: true })
      this.record.remove(touched[i]!)
    }
    // The first file created the folder for all of them.
    removeEmpty(touched.flatMap(({ made }) => made))
  }

  #each(changesOf: (client: Client) => Change[]): ClientPlan[] {
    return this.#clients
      .filter(({ name }) => this.#only?.includes(name) ?? true)
      .map((client) => {
        const { name, label, folder, effect } = client
        const known = { name, label, folder, effect, isFound: this.#isFound(client) }
        try {
          return { ...known, changes: changesOf(client), problem: null }
        } catch (error) {
          if (!MemoryError.is(error)) throw error
          return { ...known, changes: [], problem: error.message }
        }
      })
  }

  /** A client named explicitly is set up even if it is not found. */
  #isFound({ name, folder }: Client): boolean {
    return existsSync(folder) || this.#only?.includes(name) === true
  }

  #planPlugin({ folder }: Client): Change[] {
    if (hasPlugin(folder)) return []
    if (!isOnPath('claude', this.#env)) {
      throw new MemoryError('MISSING_DEPENDENCY', "Claude Code was not found: there is no 'claude' on the PATH.")
    }
    const commands = installCommands(pluginFolder(), 'user')
    return commands.map((args) => ({ path: folder, before: null, after: null, command: ['claude', ...args] }))
  }

  #planFile(file: ConfigFile): Change[] {
    const { path, format, entries } = file
    return naming(path, () => {
      const before = readText(path)
      const touched = this.record.find(path)
      // Our entries may be from another version, or start another program.
      const isCurrent = touched === null || isSame(touched.entries, entries)
      if (isCurrent && hasAll(before, format, entries)) return []
      const after = withEntries(this.#base(file), format, entries)
      return after === before ? [] : [{ path, before, after }]
    })
  }

  /** The file without our entries. */
  #base({ path }: ConfigFile): string | null {
    const now = readText(path)
    const touched = this.record.find(path)
    return touched === null || now === null ? now : this.#without(touched, now)
  }

  #planRemoval(touched: Touched): Change {
    const { path } = touched
    return naming(path, () => {
      const before = readText(path)
      return { path, before, after: before === null ? null : this.#without(touched, before) }
    })
  }

  /** Byte for byte the original, if nobody has changed it since. */
  #without(touched: Touched, now: string): string | null {
    const original = this.record.original(touched)
    if (fingerprint(now) === touched.hash) return original
    return withoutEntries(now, touched.format, touched.entries, original)
  }
}

/** Adds the file name to an error. */
function naming<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    throw new MemoryError(error.code, `${path}: ${error.message}`, { cause: error })
  }
}
