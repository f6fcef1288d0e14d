import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ulid } from 'ulidx'
import type { Config } from '../../config/load-config.ts'
import { storeFile } from '../../config/prepare-store.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { createMcpServer } from '../../mcp/create-mcp-server.ts'
import { serveMcpOnStdio } from '../../mcp/serve-stdio.ts'
import { createLogger } from '../../observe/log.ts'
import { addIdentifierOptions, type IdentifierOptions, readIdentifiers } from '../identifiers.ts'
import { stopSignal } from '../interruption.ts'
import { deliverWaiting, type GlobalOptions, openEngine, readConfig } from '../open-engine.ts'
import { writeJsonError } from '../output.ts'
import { inShell, shell } from '../shell.ts'

interface Options extends GlobalOptions, IdentifierOptions {
  workspace: string
  readOnly?: boolean
}

/** `nokosu mcp` */
export function configure(command: Command): void {
  addIdentifierOptions(command)
    .option('--workspace <folder>', 'the folder whose store and project are used', '.')
    .option('--read-only', 'offer only the tools that read')
    .addHelpText(
      'after',
      `
Serves the memory to an MCP client on standard input and output, until the client closes them. The client is an agent: it sees its
own memories (--agent or NOKOSU_AGENT), the project's, and those of the team, org and company above it.
'nokosu serve' offers the same over HTTP, at /mcp.

Examples:
  claude mcp add nokosu -- nokosu mcp
  nokosu mcp --project shop --agent nori`,
    )
    .action(start)
}

async function start(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const cwd = resolve(shell().cwd, options.workspace)
  await inShell({ ...shell(), cwd }, () => serve(options))
}

async function serve(options: Options): Promise<void> {
  const signal = stopSignal({ expected: true })
  const { stdin, stdout, env } = shell()
  const config = await readConfig(options)
  const log = createLogger(config.log, writeJsonError)
  const store = new Store(config)
  const agent = options.agent ?? (env.NOKOSU_AGENT || undefined)
  const identifiers = readIdentifiers({ ...options, ...(agent === undefined ? {} : { agent }) }, config)
  // The run's, or that of Claude Code, under which the plugin's hooks keep what they hear. Another client's connection counts as one.
  const session = env.NOKOSU_SESSION || env.CLAUDE_CODE_SESSION_ID || null
  const create = () =>
    createMcpServer({
      as: async (who, intent) => (await store.open(intent)).as(who, { by: 'mcp', agent: true }),
      identifiers,
      session,
      ownSession: `mcp-${ulid()}`,
      mayWrite: options.readOnly !== true,
    })
  const onError = (error: Error) => log.warn({ error: error.message }, 'the MCP connection has a problem')
  try {
    await serveMcpOnStdio({ input: stdin, output: stdout, create, signal, onError })
  } finally {
    await store.close()
  }
}

/** The store while a client is connected: opened by the first call that needs it, created by the first that writes. */
class Store {
  readonly #config: Config
  #engine: Promise<Nokosu> | null = null
  /** Answers for a store that does not exist yet. */
  #empty: Promise<Nokosu> | null = null

  constructor(config: Config) {
    this.#config = config
  }

  open(intent: 'read' | 'write'): Promise<Nokosu> {
    const file = storeFile(this.#config.db)
    if (this.#engine === null && intent === 'read' && file !== null && !existsSync(file)) {
      this.#empty ??= openEngine(this.#config, 'read')
      return this.#empty
    }
    this.#engine ??= this.#openReal().catch((error: unknown) => {
      // The next call tries again.
      this.#engine = null
      throw error
    })
    return this.#engine
  }

  async #openReal(): Promise<Nokosu> {
    const engine = await openEngine(this.#config, 'write')
    await deliverWaiting(engine, this.#config)
    return engine
  }

  async close(): Promise<void> {
    for (const opening of [this.#engine, this.#empty]) await (await opening?.catch(() => null))?.shutdown()
  }
}
