import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/model/records.ts'
import { claudeWorkspace } from './claude.ts'
import { type Answer, type MessagesRequest, say } from './mock-api.ts'
import { runSpace } from './run-space.ts'

const PLUGIN = ['--plugin-dir', join(import.meta.dirname, '../../plugin')]
const STREAM = ['--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash']
const SHOP = ['--project', 'shop']

const PROMPT = 'Rotate the signing key of the price feed before the quarter ends'
const BASTION = 'Run terraform apply only from the bastion'
const EXPORT = 'E4711 of the importer means that the nightly export is missing'
const DRIFT = 'E9002 in the ledger log means that the clock has drifted'
const ALL = [PROMPT, BASTION, DRIFT, EXPORT]
const ASKED = 'rotate the signing key of the price feed'

const bash = (command: string): Answer => ({
  content: [{ type: 'tool_use', name: 'Bash', input: { command, description: 'Run it' } }],
})

/** A prompt, a command with a relevant memory (twice), one with relevant output, and one that fails. */
const SCRIPT = [
  bash('true terraform apply'),
  bash('true terraform apply again'),
  bash('printf "ledger: E90"; echo 02'),
  bash('printf "importer: E47"; echo 11; exit 3'),
  say('Done.'),
]

/** Text that hooks had added to each request when it was sent. */
function shownIn(requests: readonly MessagesRequest[], texts: readonly string[]): string[][] {
  return requests.map((request) => {
    const sent = JSON.stringify(request.messages)
    return texts.flatMap((text) => Array(sent.split(`] ${text} (confidence`).length - 1).fill(text))
  })
}

type Space = Pick<ReturnType<typeof claudeWorkspace>, 'json'>

/** The block at session start fits only one short memory; the others come at their moments. */
async function remember({ json }: Space, folder: string, budget = 40): Promise<void> {
  writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify({ project: 'shop', budget, embedding: EMBEDDING }))
  await json(['add', ...SHOP, '--category', 'timing', '--confidence', '1', 'Builds take 9 min'], { cwd: folder })
  for (const content of [...ALL, 'Playwright needs four shards', 'Redis evicts sessions hourly']) {
    await json(['add', ...SHOP, '--category', 'decision', content], { cwd: folder })
  }
}

/** Uses no model, because loading one is slow on a busy machine. */
const EMBEDDING = { kind: 'hashing' }
const EXPECTED = [[PROMPT], [PROMPT, BASTION], [PROMPT, BASTION], [PROMPT, BASTION, DRIFT], ALL]

describe('the plugin', () => {
  it('shows what matters at the prompt, before a command, after an output and after a failure, each once', async () => {
    const space = claudeWorkspace()
    await remember(space, space.repository)
    const { code, requests } = await space.claude(['-p', ASKED, ...STREAM, ...PLUGIN], SCRIPT)
    expect(code).toBe(0)
    expect(shownIn(requests, ALL)).toEqual(EXPECTED)
  })

  it('does not show again what the session was shown at its start', async () => {
    const space = claudeWorkspace()
    await remember(space, space.repository, 2000)
    const { requests } = await space.claude(['-p', ASKED, ...STREAM, ...PLUGIN], SCRIPT)
    const started = shownIn(requests.slice(0, 1), ALL)
    expect(shownIn(requests, started[0]!)).toEqual(requests.map(() => started[0]))
  })

  it('tells a compacted session again what it needs', async () => {
    const space = claudeWorkspace()
    await remember(space, space.repository)
    const flags = [...STREAM, ...PLUGIN]
    await space.claude(['-p', ASKED, ...flags], [bash('true terraform apply'), say('Done.')])
    const [session] = (await space.json<{ sessions: Session[] }>(['sessions', '--all'], { cwd: space.repository }))
      .sessions
    const resume = ['--resume', session!.id, ...flags]
    const { requests } = await space.claude(['-p', 'go on', ...resume], [bash('true terraform apply'), say('Done.')])
    expect(shownIn(requests, [BASTION])).toEqual([[BASTION], [BASTION]])
    expect((await space.claude(['-p', '/compact', ...resume], [say('<summary>Done.</summary>')])).code).toBe(0)
    const after = await space.claude(['-p', 'go on', ...resume], [bash('true terraform apply'), say('Done.')])
    expect(shownIn(after.requests, [BASTION])).toEqual([[], [BASTION]])
  })

  it('adds nothing where nothing is remembered, and creates nothing', async () => {
    const space = claudeWorkspace()
    const { code, requests } = await space.claude(['-p', ASKED, ...STREAM, ...PLUGIN], SCRIPT)
    expect(code).toBe(0)
    expect(JSON.stringify(requests)).not.toContain('hook additional context: From memory')
    expect(readdirSync(space.repository)).toEqual(['.git'])
  })

  it('is silent about a broken store', async () => {
    const space = claudeWorkspace()
    mkdirSync(join(space.repository, '.nokosu'))
    writeFileSync(join(space.repository, '.nokosu/memory.db'), 'not a database'.repeat(1000))
    const { code, stdout, requests } = await space.claude(['-p', ASKED, ...STREAM, ...PLUGIN], SCRIPT)
    expect(code).toBe(0)
    expect(requests).toHaveLength(5)
    expect(JSON.stringify(requests)).not.toContain('From memory')
    expect(stdout).not.toContain('hook_no_verdict')
  })
})

describe('nokosu run', () => {
  const runLive = async (space: ReturnType<typeof runSpace>, more: readonly string[] = []) =>
    space.run([...SHOP, '--extract', 'off'], [...STREAM, ...more], SCRIPT, ASKED)

  it('shows what matters at each step, says so at the end, and the session tells when', async () => {
    const space = runSpace()
    await remember(space, space.folder)
    const { code, requests, stderr } = await runLive(space)
    expect(code).toBe(0)
    expect(shownIn(requests, ALL)).toEqual(EXPECTED)
    expect(stderr).toMatch(/shown +1 memory before true terraform: Run terraform apply/)
    // The agent sees neither the tool nor its output.
    expect(JSON.stringify(requests)).not.toContain('memory_recall')
    const [session] = await space.sessions()
    const { stdout } = await space.nokosu(['sessions', session!.id, ...SHOP])
    expect(stdout).toMatch(/at the prompt +Rotate/)
    expect(stdout).toMatch(/before true terraform +Run/)
    expect(stdout).toMatch(/after printf +E9002/)
    expect(stdout).toMatch(/after printf .*failed +E4711/)
  })

  it('beside the user’s own settings, servers and the plugin: nothing is lost, nothing comes twice', async () => {
    const space = runSpace()
    await remember(space, space.folder)
    const hook = { type: 'command', command: 'echo SETTINGS-OF-THE-USER' }
    const settings = JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } })
    const servers = JSON.stringify({ mcpServers: { own: { command: 'true' } } })
    const own = ['--settings', settings, '--mcp-config', servers, '--strict-mcp-config', ...PLUGIN]
    const { code, requests } = await runLive(space, own)
    expect(code).toBe(0)
    expect(shownIn(requests, ALL)).toEqual(EXPECTED)
    expect(JSON.stringify(requests[0])).toContain('SETTINGS-OF-THE-USER')
  })
})
