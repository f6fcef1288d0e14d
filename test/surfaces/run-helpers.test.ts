import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { NOKOSU, workspace } from './run-cli.ts'

const BUN_VERSION = '1.4.4'
const cache = join(import.meta.dirname, '../../.cache')
const home = join(cache, `bun-${BUN_VERSION}`)

/** Installs the runtime once, because the package does not depend on it. */
function installBun(): string {
  const binary = join(home, 'node_modules/bun/bin/bun.exe')
  if (existsSync(binary)) return binary
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'bun-'))
  try {
    const flags = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['install', '--prefix', folder, ...flags, `bun@${BUN_VERSION}`], { cwd: folder })
    // npm leaves a placeholder; this installs the platform's binary.
    execFileSync(process.execPath, ['install.js'], { cwd: join(folder, 'node_modules/bun') })
    if (!existsSync(binary)) renameSync(folder, home)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return binary
}

const RUNTIMES = {
  node: () => [process.execPath],
  bun: () => [installBun(), 'run'],
}

it.each(['node', 'bun'] as const)(
  '[B05] fetch-memory, fetch-personality and save-memory work under %s',
  async (name) => {
    const { folder, store } = workspace()
    const [program, ...before] = RUNTIMES[name]()
    const run = (args: readonly string[], input = '') =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const env = { PATH: process.env.PATH, HOME: folder, NOKOSU_EMBEDDING: 'hashing' }
        const child = execFile(program!, [...before, NOKOSU, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
        )
        child.stdin!.end(input)
      })
    const who = ['--agent', 'nori', '--project', 'shop']
    expect(await run(['fetch-memory', ...who])).toMatchObject({ code: 0, stdout: '' })
    expect(await run(['fetch-personality', '--agent', 'nori'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^# Personality\n.*Nori/s),
    })
    expect(await run(['fetch-personality', '--agent', 'nobody'])).toMatchObject({ code: 0, stdout: '' })

    const learnings = JSON.stringify(['Prices are in cents', { content: 'Tests need a running queue' }])
    expect((await run(['save-memory', ...who, '--session', 'run-1'], learnings)).code).toBe(0)
    expect((await run(['save-memory', ...who, '--session', 'run-1'], learnings)).code).toBe(0)
    const { stdout } = await run(['fetch-memory', ...who])
    expect(stdout.match(/^- .*$/gm)).toEqual(['- Tests need a running queue', '- Prices are in cents'])
    expect(await run(['save-memory', ...who], 'nothing learned')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no JSON array'),
    })

    const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
    const { memories } = await engine.list({ identifiers: { agentId: 'nori', projectId: 'shop' } })
    await engine.shutdown()
    expect(memories).toHaveLength(2)
    for (const memory of memories)
      expect(memory).toMatchObject({ source: 'extraction', layer: 'agent', session: 'run-1' })
  },
  120_000,
)

it('the helpers name what is missing', async () => {
  const { failure } = workspace()
  expect(await failure(['fetch-memory', '--agent', 'nori'])).toMatchObject({ code: 'MISSING_IDENTIFIER', exit: 2 })
})
