import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../../../test/fixtures/scratch-folder.ts'
import { deliverMemory } from './deliver-memory.ts'

interface Seen {
  args: string[]
  system: string
  modes: string[]
  /** The events with hooks, the server that answers them, and whether the environment names it. */
  hooks: string[]
  server: object | null
  env: string | null
}

/** A program named `claude` that records its arguments. Like Claude Code, it reads the file only if it talks to a model. */
const PROGRAM = (folder: string) => `#!${process.execPath}
const fs = require('node:fs')
const args = process.argv.slice(2)
const at = args.includes('--version') || args.includes('mcp') ? -1 : args.indexOf('--append-system-prompt-file')
const mode = (path) => (fs.statSync(path).mode & 0o777).toString(8)
const file = args[at + 1]
const system = at < 0 ? '' : fs.readFileSync(file, 'utf8')
const modes = at < 0 ? [] : [mode(file), mode(require('node:path').dirname(file))]
const valueOf = (name) => args.find((word) => word.startsWith(name + '='))?.slice(name.length + 1)
const read = (path) => JSON.parse(fs.readFileSync(path, 'utf8'))
const plugin = valueOf('--plugin-dir')
const hooks = plugin ? Object.keys(read(plugin + '/hooks/hooks.json').hooks) : []
const server = plugin ? read(valueOf('--mcp-config')).mcpServers['nokosu-run'] : null
const env = process.env.NOKOSU_HOOKS ?? null
fs.appendFileSync(${JSON.stringify(folder)} + '/seen.jsonl', JSON.stringify({ args, system, modes, hooks, server, env }) + '\\n')
`

/** Delivers to a command and runs it. `CLAUDE` in the command stands for the path of such a program outside PATH. */
async function deliverTo(given: readonly string[], { inPath = true, file = null as string | null } = {}) {
  const folder = scratchFolder()
  const [work, bin, elsewhere] = ['work', 'bin', 'elsewhere'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [work, bin, elsewhere]) mkdirSync(path)
  for (const path of [...(inPath ? [bin] : []), elsewhere]) {
    writeFileSync(join(path, 'claude'), PROGRAM(folder), { mode: 0o755 })
  }
  symlinkSync('claude', join(bin, 'cl'))
  writeFileSync(join(bin, 'unknown'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  writeFileSync(join(folder, 'named.sh'), '#!/bin/sh\nexec claude -p "hi"\n')
  writeFileSync(join(folder, 'by-path.sh'), `#!/bin/sh\nexec ${elsewhere}/claude -p hi\n`)
  const pass = '--append-system-prompt-file "$NOKOSU_CONTEXT_FILE"'
  writeFileSync(join(folder, 'passing.sh'), `#!/bin/sh\nexec ${elsewhere}/claude -p hi ${pass}\n`)
  writeFileSync(join(folder, 'agent.mjs'), "console.log(process.env['NOKOSU_' + 'CONTEXT'].length)\n")
  const cleanups: (() => Promise<unknown>)[] = []
  const env = { HOME: folder, PATH: `${bin}:${process.env.PATH}` }
  const delivery = await deliverMemory({
    command: given.map((word) => word.replaceAll('CLAUDE', join(elsewhere, 'claude'))),
    workspace: work,
    content: { instructions: 'Be kind', memory: '- Prices are in cents' },
    file,
    hooks: { program: 'nokosu', args: ['mcp'], env: {} },
    identifiers: { agentId: 'nori', projectId: 'shop' },
    holder: 'nori',
    env,
    boundMs: 120_000,
    warn: (text) => expect.unreachable(text),
    cleanUp: (cleanup) => cleanups.push(cleanup),
  })
  const [program, ...args] = delivery.command
  const { status, stderr } = spawnSync(program!, args, {
    cwd: work,
    env: { ...env, ...delivery.env },
    encoding: 'utf8',
  })
  const isDelivered = delivery.confirmed(true)
  for (const cleanup of cleanups) await cleanup()
  const log = join(folder, 'seen.jsonl')
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
  const seen: Seen[] = lines.map((line) => JSON.parse(line))
  const { isExpected } = delivery
  return { status, stderr, isDelivered, isExpected, seen, tree: readdirSync(work) }
}

const LIVE = {
  hooks: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  server: { command: 'nokosu', args: ['mcp', '--agent=nori', '--project=shop'], env: {} },
  env: 'run',
}
const TEXT = 'Be kind\n\n- Prices are in cents'

describe('Claude Code', () => {
  it.each([
    ['claude', '-p', 'hi'],
    ['timeout', '60', 'claude', '-p', 'hi'],
    ['env', 'A=b', 'nice', '-n', '1', 'claude', '-p', 'hi'],
    ['sh', '-c', 'true && claude -p hi | cat'],
    // When the command line does not show what is started.
    ['sh', '-c', 'X=claude; $X -p hi'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
    ['sh', '-c', 'exec ${AGENT_PROGRAM:-claude} -p hi'],
    ['bash', '-c', 'shopt -s expand_aliases; alias c=claude\nc -p hi'],
    ['sh', '-c', 'echo "claude -p hi" | sh'],
    ['bash', '-lc', 'claude -p hi'],
    ['timeout', '60', 'sh', '-l', '-c', 'claude -p hi'],
    ['find', '/', '-maxdepth', '0', '-exec', 'claude', '-p', 'hi', ';'],
    ['perl', '-e', 'exec "claude", "-p", "hi"'],
    ['node', '-e', 'require("child_process").spawnSync("claude", ["-p", "hi"])'],
    ['cl', '-p', 'hi'],
    ['sh', '../named.sh'],
    ['unknown', 'claude', '-p', 'hi'],
    ['CLAUDE', '-p', 'hi'],
    ['sh', '-c', 'true && exec CLAUDE -p hi'],
    ['sh', '-c', `'CLAUDE' "$@"`, 'sh', '-p', 'hi'],
  ])('%s %s %s has it in a private file, and nothing is in the tree', async (...command) => {
    const { status, stderr, isDelivered, seen, tree } = await deliverTo(command)
    expect({ status, stderr, isDelivered, tree }).toEqual({ status: 0, stderr: '', isDelivered: true, tree: [] })
    expect(seen).toEqual([{ args: expect.any(Array), system: TEXT, modes: ['600', '700'], ...LIVE }])
    expect(seen[0]!.args.slice(-2)).toEqual(['-p', 'hi'])
  })

  it('has its hooks where the memories are in a file of the workspace, or are passed on by the command', async () => {
    for (const command of [
      ['claude', '-p', 'hi'],
      ['CLAUDE', '-p', 'hi'],
    ]) {
      const { seen } = await deliverTo(command, { file: 'AGENTS.md' })
      expect(seen).toMatchObject([{ system: '', ...LIVE }])
    }
    const { seen } = await deliverTo(['sh', '-c', 'claude -p --append-system-prompt-file "$NOKOSU_CONTEXT_FILE"'])
    expect(seen).toMatchObject([{ system: TEXT, ...LIVE }])
  })

  it.each([
    ['perl', '-e', 'exec "CLAUDE", "-p", "hi"'],
    ['claude', '--version'],
    ['claude', 'mcp', 'list'],
    ['CLAUDE', '--version'],
  ])('%s %s %s: what nobody has read does not count, though it is expected to', async (...command) => {
    const { isDelivered, isExpected, seen } = await deliverTo(command)
    expect({ isDelivered, isExpected }).toEqual({ isDelivered: false, isExpected: true })
    expect(seen).toMatchObject([{ system: '', hooks: [], env: null }])
  })
})

describe('other programs', () => {
  it.each([
    ['a script that starts Claude Code by its path', ['sh', '../by-path.sh'], false],
    ['a program that reads what nobody can see it read', ['node', '../agent.mjs'], false],
    ['a program that reads nothing', ['true'], false],
    ['no program', ['sh', '-c', 'no-such-command'], false],
    ['a script that passes it on', ['sh', '../passing.sh'], true],
    ['a program that reads the file', ['perl', '-e', 'open F, $ENV{"NOKOSU_"."CONTEXT_FILE"}; <F>'], true],
    ['a command that names the variable', ['sh', '-c', 'printenv NOKOSU_CONTEXT'], true],
  ])('%s: only what is known to be read counts', async (_, command, isDelivered) => {
    expect(await deliverTo(command, { inPath: false })).toMatchObject({ isDelivered, tree: [] })
  })
})
