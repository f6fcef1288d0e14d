import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ulid } from 'ulidx'
import type { Config } from '../../config/load-config.ts'
import { storeFile } from '../../config/prepare-store.ts'
import { embedAhead, isServed } from '../../engine/embed-ahead.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { createMcpServer } from '../../mcp/create-mcp-server.ts'
import { HOOK_MS, Hooks } from '../../mcp/hooks.ts'
import { serveMcpOnStdio } from '../../mcp/serve-stdio.ts'
import type { Intent as McpIntent } from '../../mcp/tool.ts'
import { type Identifiers, LAYERS } from '../../model/layer.ts'
import { createLogger, type Logger } from '../../observe/log.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { type IdentifierOptions, readIdentifiers } from '../identifiers.ts'
import { stopSignal } from '../interruption.ts'
import { deliverWaiting, type GlobalOptions, openEngine, readConfig } from '../open-engine.ts'
import { writeJsonError } from '../output.ts'
import { text } from '../parse-flags.ts'
import { inShell, shell } from '../shell.ts'

/** `nokosu mcp` */
export const { configure } = defineCommand({
  identifiers: LAYERS,
  options: {
    '--workspace <folder>': ['the folder whose store and project are used', text, '.'],
    '--read-only': 'offer only the read tools',
    '--for-hooks': 'offer only the tool that the hooks of a run call',
  },
  help: `
Serves the memory to an MCP client on standard input and output, until the client closes them. The client is an agent: it sees its
own memories (--agent or NOKOSU_AGENT), the project's, and those of the team, org and company above it.
'nokosu serve' offers the same over HTTP, at /mcp.

Examples:
  claude mcp add nokosu -- nokosu mcp
  nokosu mcp --project shop --agent nori`,
  run: (options) => inShell({ ...shell(), cwd: resolve(shell().cwd, options.workspace) }, () => serve(options)),
})

async function serve(
  options: GlobalOptions & IdentifierOptions & { readOnly?: boolean; forHooks?: boolean },
): Promise<void> {
  const signal = stopSignal({ expected: true })
  const { stdin, stdout, env } = shell()
  const config = await readConfig(options)
  const log = createLogger(config.log, writeJsonError)
  const store = new Store(config, options.project, log)
  const agent = options.agent ?? (env.NOKOSU_AGENT || undefined)
  const identifiers = readIdentifiers({ ...options, ...withoutUndefined({ agent }) }, config)
  // The run's session, or Claude Code's, which the plugin's hooks use too. Any other client's connection counts as one session.
  const session = env.NOKOSU_SESSION || env.CLAUDE_CODE_SESSION_ID || null
  const as = async (who: Identifiers, intent: McpIntent) =>
    (await store.open(intent)).as(who, { by: 'mcp', agent: true })
  const isSilent = !config.memory.enabled || (env.NOKOSU_HOOKS === 'run' && !options.forHooks)
  // The first hook comes with the first prompt, so models are loaded before it. If nothing is remembered, no model is loaded.
  const load = async () => (await as(identifiers, 'recall')).recall({ moment: { kind: 'prompt', text: 'warm' } })
  const loading = isSilent ? Promise.resolve() : load()
  loading.catch((error: Error) => log.debug({ error: error.message }, 'cannot open the store in advance'))
  const hooks = new Hooks({
    loading,
    moments: config.recall,
    lessons: config.memory.lessons && options.readOnly !== true,
    timeoutMs: Number(env.NOKOSU_HOOK_TIMEOUT) * 1000 || HOOK_MS,
    session: env.NOKOSU_SESSION || null,
    isSilent,
    onProblem: ({ message }) => log.warn({ error: message }, 'a hook call failed'),
  })
  const create = () =>
    createMcpServer({
      as,
      identifiers,
      session,
      ownSession: `mcp-${ulid()}`,
      mayWrite: options.readOnly !== true,
      hooks,
      forHooks: options.forHooks === true,
    })
  const onError = (error: Error) => log.warn({ error: error.message }, 'MCP connection error')
  try {
    await serveMcpOnStdio({ input: stdin, output: stdout, create, signal, onError })
  } finally {
    await store.close()
  }
}

/** The store while a client is connected: opened by the first call that needs it, created by the first write. */
class Store {
  readonly #config: Config
  readonly #project: string | undefined
  readonly #log: Logger
  #engine: Promise<Nokosu> | null = null
  #delivered: Promise<unknown> | null = null
  #ahead: ReturnType<typeof embedAhead> | null = null
  #empty: Promise<Nokosu> | null = null

  constructor(config: Config, project: string | undefined, log: Logger) {
    this.#config = config
    this.#project = project
    this.#log = log
  }

  async open(intent: McpIntent): Promise<Nokosu> {
    const file = storeFile(this.#config.db)
    if (this.#engine === null && intent !== 'write' && file !== null && !existsSync(file)) {
      this.#empty ??= openEngine(this.#config, 'read')
      return this.#empty
    }
    this.#engine ??= openEngine(this.#config, 'write', this.#project).catch((error: unknown) => {
      // The next call tries again.
      this.#engine = null
      throw error
    })
    const engine = await this.#engine
    // Reading all of a cloud store costs money; its server decides about that.
    if (!isServed(this.#config.db)) this.#ahead ??= embedAhead(engine, this.#log)
    this.#delivered ??= deliverWaiting(engine, this.#config).catch((error: unknown) => {
      this.#delivered = null
      if (intent !== 'recall') throw error
    })
    // A hook does not wait for the delivery of earlier runs' records.
    if (intent !== 'recall') await this.#delivered
    return engine
  }

  async close(): Promise<void> {
    await this.#ahead?.stop()
    await this.#delivered?.catch(() => {})
    for (const opening of [this.#engine, this.#empty]) await (await opening?.catch(() => null))?.shutdown()
  }
}
