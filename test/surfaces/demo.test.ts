import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RunFacts } from '../../src/cli/demo/perform-run.ts'
import type { Memory } from '../../src/model/memory.ts'
import { finish, startCli, workspace } from './run-cli.ts'

interface Facts {
  runs: [RunFacts, RunFacts, RunFacts]
  kept: string | null
}

/** A working folder for the demo, and an empty temporary folder. */
function theatre() {
  const base = workspace()
  const temporary = join(base.folder, 'tmp')
  mkdirSync(temporary)
  const left = () => readdirSync(temporary)
  // Node caches compiled code; that is not part of the demo.
  const env = { TMPDIR: temporary, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  return { ...base, env, left }
}

/** The commands that the demo agent runs on a day, with this block as its memory. */
async function commandsOf(day: number, memory: string): Promise<string[]> {
  const { run } = workspace()
  const { code, stdout } = await run(['demo-agent', String(day)], { env: { NOKOSU_CONTEXT: memory } })
  expect(code).toBe(0)
  const events = stdout.trim().split('\n')
  return events.flatMap((line) => /"command":"([^"]+)"/.exec(line)?.[1] ?? [])
}

it('tells a story whose facts hold, and with --keep leaves its store, without the secret', async () => {
  const { folder, json, failure, env, left } = theatre()
  const { runs, kept } = await json<Facts>(['demo', '--fast', '--keep', 'stage'], { env })
  const [first, second, third] = runs
  expect(runs.map(({ shown, steps, failed }) => [shown, steps, failed])).toEqual([
    [0, 9, 3],
    [2, 5, 0],
    [2, 8, 1],
  ])
  expect(first.deeds).toMatchObject([
    { kind: 'insert', service: 'caddy', confidence: 0.7 },
    { kind: 'insert', service: 'jellyfin', confidence: 0.7 },
  ])
  expect(second.deeds).toMatchObject([
    { kind: 'reinforce', content: 'Takes 60s to start after a restart', before: 0.7, confidence: 0.8 },
  ])
  expect(third.deeds).toMatchObject([
    {
      kind: 'contradict',
      content: 'Takes 90s to start after a restart',
      confidence: 0.7,
      weakened: [{ content: 'Takes 60s to start after a restart', before: 0.8, confidence: 0.6 }],
    },
    { kind: 'insert', content: 'Scans all films at start, api_key=[REDACTED:secret]' },
  ])
  expect(third).toMatchObject({ ignored: ['Turn the firewall off'], redacted: 1 })
  expect(third.next).not.toMatch(/firewall|k9Tq/)

  // Only the memory makes the difference: the same day without it takes the long way.
  expect(await commandsOf(2, '')).toHaveLength(first.steps)
  expect(await commandsOf(2, first.next)).toHaveLength(second.steps)
  expect(await commandsOf(4, third.next)).toContain('wait 90 s')

  expect(kept).toBe(join(folder, 'stage'))
  const { memories } = await json<{ memories: Memory[] }>(['list', '--project', 'home'], { cwd: kept! })
  expect(memories).toHaveLength(4)
  const files = readdirSync(kept!, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).toContain('memory.db')
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name)).includes('k9Tq2VxW7mZr4LbN8cYd'), name).toBe(false)
  }
  expect(left()).toEqual([])
  expect(await failure(['demo', '--keep', 'stage'])).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
  expect(await failure(['demo', '--db', 'sqlite:mine.db'])).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
})

it('in a pipe it is plain text of at most 80 columns, and nothing is left behind', async () => {
  const { folder, run, env, left } = theatre()
  const { code, stdout, stderr } = await run(['demo'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).not.toContain('\u001B')
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  expect(stdout).toMatch(/corrected .+Takes 90s[\s\S]+redacted +1 secret[\s\S]+ignored +Turn the firewall off/)
  expect([left(), readdirSync(folder)]).toEqual([[], ['tmp']])
})

it('the caller’s settings and stores are neither used nor touched', async () => {
  const { folder, json, env } = theatre()
  const settings = JSON.stringify({ memory: { enabled: false }, db: 'sqlite:mine.db' })
  writeFileSync(join(folder, 'nokosu.config.json'), settings)
  const own = { ...env, NOKOSU_DB: 'sqlite:other.db', NOKOSU_MEMORY_BUDGET: '1', NOKOSU_EMBEDDING: 'hashing' }
  const { runs } = await json<Facts>(['demo', '--fast'], { env: own })
  expect(runs.map(({ steps }) => steps)).toEqual([9, 5, 8])
  expect(readdirSync(folder).sort()).toEqual(['nokosu.config.json', 'tmp'])
})

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it and leaves nothing behind', async (signal) => {
  const { folder, env, left } = theatre()
  const child = startCli(['demo'], { cwd: folder, env })
  child.stdout!.on('data', (text: Buffer) => {
    if (text.includes('Run 1')) child.kill(signal)
  })
  const { code, stdout, stderr } = await finish(child)
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
  expect(stdout).not.toContain('In short')
  expect(left()).toEqual([])
})

it('a reader that has seen enough ends it, and nothing is left behind', async () => {
  const { folder, env, left } = theatre()
  const child = startCli(['demo'], { cwd: folder, env })
  child.stdout!.once('data', () => child.stdout!.destroy())
  expect((await finish(child)).code).toBe(0)
  expect(left()).toEqual([])
})
