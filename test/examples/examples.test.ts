import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { workspace } from '../surfaces/run-cli.ts'
import { environmentWith } from './stand-ins.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'examples')

// Compilers and processes, on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

/** Installs the frameworks once; they stay in the checkout until the lock file changes. */
beforeAll(() => {
  const installed = join(EXAMPLES, 'node_modules', '.package-lock.json')
  const wanted = statSync(join(EXAMPLES, 'package-lock.json')).mtimeMs
  if (existsSync(installed) && statSync(installed).mtimeMs >= wanted) return
  const args = ['install', '--no-save', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', args, { cwd: EXAMPLES, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm install in examples failed: ${stderr}`)
}, 300_000)

/** A folder with `nokosu` and stand-ins for agents on the PATH. */
function place(programs: Record<string, string> = {}) {
  const { folder } = workspace()
  const env = environmentWith(folder, programs)
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  return { folder, run }
}

function node(example: string): string {
  const { run } = place()
  const preload = join(import.meta.dirname, 'use-sources.mjs')
  const { status, stdout, stderr } = run(process.execPath, '--import', preload, join(EXAMPLES, example))
  expect({ status, stderr }).toMatchObject({ status: 0 })
  return stdout
}

it('all compile against the types of nokosu and of the frameworks', () => {
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const args = ['-p', join(import.meta.dirname, 'tsconfig.json')]
  const { stdout } = spawnSync(tsc, args, { cwd: ROOT, encoding: 'utf8' })
  expect(stdout.split('\n').filter((line) => line.startsWith('examples/'))).toEqual([])
})

describe('what the agent learned on Monday it knows on Tuesday', () => {
  it('library', () => {
    expect(node('library/main.ts')).toMatch(/^monday: shown 0, learned 1\..*\ntuesday: shown 1, learned 0\./)
  })

  it.each(['ai-sdk', 'mastra'])('%s', (name) => {
    expect(node(`${name}/main.ts`)).toBe(
      'monday: Caddy failed, then worked.\ntuesday: Started caddy after WireGuard, at the first try.\n',
    )
  })

  it('openai-agents', () => {
    expect(node('openai-agents/main.ts')).toBe('monday: did not know\ntuesday: knew it\n')
  })

  it('langgraph', () => {
    expect(node('langgraph/main.ts')).toBe(
      'monday: I had to find out.\ntuesday: I know: Caddy must be started after WireGuard\n[["services","caddy"]]\n',
    )
  })

  it('shell', () => {
    const { run } = place()
    const { status, stdout } = run('sh', join(EXAMPLES, 'shell/main.sh'))
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout:
        'monday: Caddy failed, then worked.\n[MEMORY:dependency:caddy] Must be started after WireGuard\n' +
        'tuesday: Started caddy after WireGuard, at the first try.\n',
    })
  })

  it.each([
    ['codex', 'AGENTS.md', 'exec fix it'],
    ['gemini', 'GEMINI.md', '-p fix it'],
  ])('%s, by its file %s', (name, file, given) => {
    const agent = `echo "$*"; grep -F 'wiped every night' ${file}; echo '[MEMORY:timing:ci] The build takes 12 minutes'`
    const { folder, run } = place({ [name]: agent })
    run('git', 'init', '-q', '.')
    writeFileSync(join(folder, file), '# Rules\n')
    run('nokosu', 'add', 'The staging database is wiped every night')
    const { status, stdout } = run('sh', join(EXAMPLES, `codex-and-gemini/${name}.sh`), 'fix it')
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(`${given}\n- `) })
    expect(readFileSync(join(folder, file), 'utf8')).toBe('# Rules\n')
    expect(run('nokosu', 'context').stdout).toContain('- [timing] The build takes 12 minutes')
  })
})

it('the processor of Mastra shows what is known and keeps what the answer marks', () => {
  const { folder, run } = place()
  const program = `
    import { Agent } from ${JSON.stringify(join(EXAMPLES, 'node_modules/@mastra/core/dist/agent/index.js'))}
    import { MockLanguageModelV4 } from ${JSON.stringify(join(ROOT, 'node_modules/ai/dist/test/index.js'))}
    import { openMemory } from 'nokosu'
    import { memoryProcessor } from 'nokosu/mastra'
    const memory = await openMemory({ storage: 'memory:', embedding: { kind: 'hashing' } })
    const shop = memory.as({ projectId: 'shop' })
    await shop.add('Orders live in the schema sales')
    const asked = []
    const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
    const model = new MockLanguageModelV4({
      async doGenerate({ prompt }) {
        asked.push(JSON.stringify(prompt))
        const content = [{ type: 'text', text: 'Done.\\n[MEMORY:timing:orders] Counting takes 40 s' }]
        return { content, finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] }
      },
    })
    const nokosu = memoryProcessor(shop)
    const agent = new Agent({ id: 'n', name: 'N', instructions: 'Brief', model, inputProcessors: [nokosu], outputProcessors: [nokosu] })
    await agent.generate('Count the orders')
    console.log(asked[0].includes('Orders live in the schema sales'), (await shop.list()).memories.map(({ content }) => content).join('|'))
    await memory.shutdown()`
  writeFileSync(join(folder, 'try.ts'), program)
  const { stdout, stderr } = run(process.execPath, '--import', join(import.meta.dirname, 'use-sources.mjs'), 'try.ts')
  expect({ stdout, stderr }).toMatchObject({ stdout: 'true Counting takes 40 s|Orders live in the schema sales\n' })
})

it('the README of the examples names each of them', () => {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8')
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders.filter(({ name }) => name !== 'node_modules'))
    expect(readme).toMatch(new RegExp(`^## .*\\b${name}\\b`, 'm'))
})
