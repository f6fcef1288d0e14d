import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from './entry.ts'
import type { Program } from './program.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface ConfigFile {
  path: string
  format: 'jsonc' | 'toml'
  entries: readonly Entry[]
}

/** An agent or editor that setup supports. */
export interface Client {
  name: ClientName
  label: string
  /** Exists if the client is in use. */
  folder: string
  files: readonly ConfigFile[]
  /** What it does once it is set up. */
  effect: string
}

export const CLIENT_NAMES = [
  'claude-code',
  'codex',
  'gemini',
  'cursor',
  'windsurf',
  'vscode',
  'zed',
  'opencode',
] as const
export type ClientName = (typeof CLIENT_NAMES)[number]

const SHOWS = 'shows every new session the memories of its project'
const STORES = 'stores the [MEMORY:...] lines of its answers'
const TOOLS = 'can search, add and correct memories'
const ASKS = 'looks memories up when its model decides to'

/** Each client with what its documentation requires. The paths are the user's, never a project's. */
export function clientsOf({ command, args }: Program, env: Environment): Client[] {
  const home = env.HOME || homedir()
  const config = env.XDG_CONFIG_HOME || join(home, '.config')
  const roaming = env.APPDATA || join(home, 'AppData', 'Roaming')
  const server = (...more: string[]) => ({ command, args: [...args, 'mcp', ...more] })
  // An editor variable.
  const here = server('--workspace', '$' + '{workspaceFolder}')
  const hook = (event: string, client: ClientName) => ({
    mark: `hook ${event} --client ${client}`,
    command: [command, ...args].map(quote).concat(`hook ${event} --client ${client}`).join(' '),
  })
  /** Groups of commands, as in Claude Code. */
  const group = (at: string, event: string, client: ClientName, more: { matcher?: string; timeout: number }): Entry => {
    const { mark, command: line } = hook(event, client)
    const { matcher, timeout } = more
    const own = { type: 'command', command: line, timeout }
    return { at: ['hooks', at], mark, value: { ...(matcher === undefined ? {} : { matcher }), hooks: [own] } }
  }
  const line = (at: string, event: string, client: ClientName): Entry => {
    const { mark, command: own } = hook(event, client)
    return { at: ['hooks', at], mark, value: { command: own } }
  }
  const codex = env.CODEX_HOME || join(home, '.codex')
  const windsurf = join(home, '.codeium', 'windsurf')
  const opencode = join(config, 'opencode')
  const opencodeFile = ['opencode.jsonc', 'opencode.json']
    .map((name) => join(opencode, name))
    .find((path) => existsSync(path))
  const library = join(home, 'Library', 'Application Support')
  const isWindows = process.platform === 'win32'
  const vscode = join(isWindows ? roaming : process.platform === 'darwin' ? library : config, 'Code', 'User')
  const zed = isWindows ? join(roaming, 'Zed') : join(config, 'zed')
  const version: Entry = { at: ['version'], value: 1, isFrame: true }
  return [
    {
      name: 'claude-code',
      label: 'Claude Code',
      folder: env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
      files: [],
      effect: `${SHOWS}, and more when they matter; ${STORES}; ${TOOLS}. Takes effect in its next session.`,
    },
    {
      name: 'codex',
      label: 'Codex CLI',
      folder: codex,
      files: [
        {
          path: join(codex, 'config.toml'),
          format: 'toml',
          entries: [{ at: ['mcp_servers', 'nokosu'], value: server() }],
        },
        {
          path: join(codex, 'hooks.json'),
          format: 'jsonc',
          entries: [
            group('SessionStart', 'session-start', 'codex', { matcher: 'startup|clear|compact', timeout: 5 }),
            group('Stop', 'stop', 'codex', { timeout: 5 }),
          ],
        },
      ],
      effect: `${SHOWS}; ${STORES}; ${TOOLS}. It asks you once to trust the hooks: /hooks.`,
    },
    {
      name: 'gemini',
      label: 'Gemini CLI',
      folder: join(home, '.gemini'),
      files: [
        {
          path: join(home, '.gemini', 'settings.json'),
          format: 'jsonc',
          entries: [
            { at: ['mcpServers', 'nokosu'], value: server() },
            // Its time limits are milliseconds.
            group('SessionStart', 'session-start', 'gemini', { timeout: 5000 }),
            group('AfterAgent', 'stop', 'gemini', { timeout: 5000 }),
            group('SessionEnd', 'session-end', 'gemini', { timeout: 5000 }),
          ],
        },
      ],
      effect: `${SHOWS}; ${STORES}; ${TOOLS}.`,
    },
    {
      name: 'cursor',
      label: 'Cursor',
      folder: join(home, '.cursor'),
      files: [
        {
          path: join(home, '.cursor', 'mcp.json'),
          format: 'jsonc',
          entries: [{ at: ['mcpServers', 'nokosu'], value: here }],
        },
        {
          path: join(home, '.cursor', 'hooks.json'),
          format: 'jsonc',
          entries: [
            version,
            line('sessionStart', 'session-start', 'cursor'),
            line('afterAgentResponse', 'stop', 'cursor'),
            line('sessionEnd', 'session-end', 'cursor'),
          ],
        },
      ],
      effect: `${SHOWS}; ${STORES}; ${TOOLS}. Restart it, and allow the server under Settings, MCP.`,
    },
    {
      name: 'windsurf',
      label: 'Windsurf',
      folder: windsurf,
      files: [
        {
          path: join(windsurf, 'mcp_config.json'),
          format: 'jsonc',
          entries: [{ at: ['mcpServers', 'nokosu'], value: server() }],
        },
        {
          path: join(windsurf, 'hooks.json'),
          format: 'jsonc',
          entries: [line('post_cascade_response', 'stop', 'windsurf')],
        },
      ],
      effect: `${STORES}; ${ASKS}: its hooks cannot show anything to the model.`,
    },
    {
      name: 'vscode',
      label: 'VS Code',
      folder: vscode,
      files: [
        {
          path: join(vscode, 'mcp.json'),
          format: 'jsonc',
          entries: [{ at: ['servers', 'nokosu'], value: { type: 'stdio', ...here } }],
        },
      ],
      effect: `${ASKS}, in agent mode, and ${TOOLS}.`,
    },
    {
      name: 'zed',
      label: 'Zed',
      folder: zed,
      files: [
        {
          path: join(zed, 'settings.json'),
          format: 'jsonc',
          entries: [{ at: ['context_servers', 'nokosu'], value: { source: 'custom', ...server(), env: {} } }],
        },
      ],
      effect: `${ASKS}, and ${TOOLS}.`,
    },
    {
      name: 'opencode',
      label: 'OpenCode',
      folder: opencode,
      files: [
        {
          path: opencodeFile ?? join(opencode, 'opencode.json'),
          format: 'jsonc',
          entries: [
            { at: ['mcp', 'nokosu'], value: { type: 'local', command: [command, ...args, 'mcp'], enabled: true } },
          ],
        },
      ],
      effect: `${ASKS}, and ${TOOLS}.`,
    },
  ]
}

/** For a shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/(["\\$`])/g, '\\$1')}"`
}
