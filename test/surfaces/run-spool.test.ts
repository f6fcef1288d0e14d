import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { spoolFolders } from '../../src/remote/spool-folders.ts'
import { AGENT, captured, idle, runWorkspace, saying, until } from './run-agent.ts'
import { finish, startCli } from './run-cli.ts'

const SHOP = ['--project', 'shop'] as const
const BAKERY = ['--project', 'bakery'] as const
const JOB = ['--session', 'job1'] as const
const marker = (service: string, seconds: number) => `[MEMORY:timing:${service}] Takes ${seconds}s to start`

type Space = ReturnType<typeof runWorkspace>

/** Replaces the store with something else. */
function breakStore({ folder }: Space): () => void {
  mkdirSync(join(folder, '.nokosu'), { recursive: true })
  const file = join(folder, '.nokosu/memory.db')
  writeFileSync(file, 'This is no database, and is long enough to look like one. '.repeat(50))
  return () => rmSync(file)
}

/** Starts a run whose agent prints this and stays; `saved` waits until it is spooled. */
function startRun(space: Space, args: readonly string[], ...lines: string[]) {
  const script = `${lines.map((line) => `echo '${line}'`).join('; ')}; exec sleep 4`
  const child = startCli(['run', '--workspace', space.work, ...args, '--', 'sh', '-c', script], {
    cwd: space.folder,
    env: space.env,
  })
  child.stdin!.end()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const saved = () => until(() => lines.every((line) => captured(space).includes(line.replace(/^\[.*?\] /, ''))))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { saved, kill }
}

/** As if their processes had been silent for a long time. */
function abandonAll({ spool, spooled }: Space): void {
  for (const name of spooled()) utimesSync(join(spool, name), 0, 0)
}

const seen = (space: Space, who: readonly string[]) =>
  space.memories(...who).then((memories) => memories.map(({ service, content }) => `${service}: ${content}`).sort())

it('two runs of one session with the store broken: both are there when it is mended', async () => {
  const space = runWorkspace()
  const mend = breakStore(space)
  await space.run([...SHOP, ...JOB, ...saying(marker('web', 5))])
  await space.run([...SHOP, ...JOB, ...saying(marker('mail', 9))])
  expect(space.spooled()).toHaveLength(2)
  mend()
  await space.run([...SHOP, ...idle])
  expect(await seen(space, SHOP)).toEqual(['mail: Takes 9s to start', 'web: Takes 5s to start'])
  expect(space.spooled()).toEqual([])
})

it('a run killed with the store broken, and run again at once in the same session on a mended store: both are there', async () => {
  const space = runWorkspace()
  const mend = breakStore(space)
  const first = startRun(space, [...SHOP, ...JOB], marker('web', 5))
  await first.saved()
  await first.kill()
  mend()
  await space.run([...SHOP, ...JOB, ...saying(marker('mail', 9))])
  abandonAll(space)
  await space.run([...SHOP, ...idle])
  expect(await seen(space, SHOP)).toEqual(['mail: Takes 9s to start', 'web: Takes 5s to start'])
  expect(space.spooled()).toEqual([])
})

it('two runs of one session in two projects: each memory is in its own', async () => {
  const space = runWorkspace()
  const mend = breakStore(space)
  const first = startRun(space, [...SHOP, ...JOB], marker('web', 5))
  await first.saved()
  await first.kill()
  await space.run([...BAKERY, ...JOB, ...saying(marker('oven', 9))])
  mend()
  abandonAll(space)
  await space.run([...BAKERY, ...idle])
  expect(await seen(space, SHOP)).toEqual(['web: Takes 5s to start'])
  expect(await seen(space, BAKERY)).toEqual(['oven: Takes 9s to start'])
})

it('an observation that is too long for any store is refused where the agent runs', async () => {
  const space = runWorkspace()
  const { code, stderr } = await space.run([...SHOP, ...saying(`[MEMORY:behavior] ${'long '.repeat(15_000)}`)])
  expect(code).toBe(0)
  expect(stderr).toMatch(/not remembered .*74,999 characters/)
})

/** The processes that hold the store of this workspace. */
function storeProcesses({ folder }: Space): number[] {
  const list = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return list
    .filter((line) => line.includes('store-server') && line.includes(folder))
    .map((line) => Number.parseInt(line, 10))
}

it('the process that holds the store is killed at any moment: nothing is lost, and nothing is there twice', async () => {
  const space = runWorkspace()
  const services = Array.from({ length: 12 }, (_, i) => `box${i}`)
  const script = `for s in ${services.join(' ')}; do echo "[MEMORY:timing:$s] Takes 5s to start"; sleep 0.1; done`
  const child = startCli(['run', '--workspace', space.work, ...AGENT, '--trace', '--', 'sh', '-c', script], {
    cwd: space.folder,
    env: space.env,
  })
  child.stdin!.end()
  const ended = finish(child)
  let kills = 0
  for (let round = 0; round < 3; round++) {
    await until(() => storeProcesses(space).length > 0 || child.exitCode !== null)
    await new Promise((resolve) => setTimeout(resolve, 250 + round * 70))
    for (const pid of storeProcesses(space)) {
      process.kill(pid, 'SIGKILL')
      kills++
    }
  }
  expect((await ended).code).toBe(0)
  expect(kills).toBeGreaterThan(0)
  await space.run([...AGENT, ...idle])
  const memories = await space.memories()
  expect(memories.map(({ service }) => service).sort()).toEqual(services.toSorted())
  expect(memories.every(({ version, confidence }) => version === 1 && confidence === 0.7)).toBe(true)
  expect(space.spooled()).toEqual([])
  expect((await space.sessions()).filter(({ endedAt }) => endedAt === null)).toEqual([])
})

it('a run is killed while it delivers: nothing is lost, and nothing is there twice', async () => {
  const space = runWorkspace()
  const mend = breakStore(space)
  const services = Array.from({ length: 30 }, (_, i) => `box${i}`)
  for (let run = 0; run < 3; run++) {
    await space.run([...AGENT, ...saying(...services.slice(10 * run, 10 * run + 10).map((name) => marker(name, 5)))])
  }
  mend()
  for (const ms of [30, 80, 160]) {
    const delivering = startRun(space, AGENT)
    await until(() => existsSync(join(space.folder, '.nokosu/memory.db')) && storeProcesses(space).length > 0)
    await new Promise((resolve) => setTimeout(resolve, ms))
    const store = storeProcesses(space)
    await delivering.kill()
    for (const pid of store) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended with its run.
      }
    }
    abandonAll(space)
  }
  // Each run delivers as much as its time allows.
  for (let run = 0; run < 10 && space.spooled().length > 0; run++) {
    await space.run([...AGENT, ...idle])
    abandonAll(space)
  }
  const memories = await space.memories()
  expect(memories.map(({ service }) => service).sort()).toEqual(services.toSorted())
  expect(memories.every(({ version, confidence }) => version === 1 && confidence === 0.7)).toBe(true)
  expect(space.spooled()).toEqual([])
})

it.each([
  ['list', ['list', ...SHOP]],
  ['search', ['search', ...SHOP, 'web', '--mode', 'keyword', '--threshold', '0']],
  ['context', ['context', ...SHOP]],
  ['sessions', ['sessions', ...SHOP]],
] as const)('%s stores everything that waits, before it answers', async (_, command) => {
  const space = runWorkspace()
  const mend = breakStore(space)
  await space.run([...SHOP, ...JOB, ...saying(marker('web', 5))])
  mend()
  const { code, stdout } = await space.cli([...command])
  expect(code).toBe(0)
  expect(stdout).toMatch(/Takes 5s to start|job1/)
  expect(space.spooled()).toEqual([])
})

it('what waits in two folders is stored oldest first: a correction does not come before what it corrects', async () => {
  const space = runWorkspace()
  const mend = breakStore(space)
  await space.run([...SHOP, '--session', 'job1', ...saying(marker('web', 5))])
  // As if the store's disk had been full for the first record only.
  const shared = spoolFolders({ file: join(space.folder, '.nokosu/memory.db'), url: space.store, env: space.env })[1]!
  mkdirSync(shared, { recursive: true })
  for (const name of space.spooled()) renameSync(join(space.spool, name), join(shared, name))
  await space.run([...SHOP, '--session', 'job2', ...saying(marker('web', 9))])
  mend()
  await space.cli(['list', ...SHOP])
  const memories = await space.memories(...SHOP)
  expect(memories.map(({ content, confidence }) => [content, confidence])).toEqual([
    ['Takes 9s to start', 0.7],
    ['Takes 5s to start', 0.5],
  ])
})

it('where what waits cannot be stored, commands say so; doctor only says so', async () => {
  const space = runWorkspace()
  breakStore(space)
  await space.run([...SHOP, ...JOB, ...saying(marker('web', 5))])
  const own = ['--db', `sqlite:${join(space.folder, 'other.db')}`]
  const spool = join(space.folder, 'other.db-spool')
  await space.cli(['add', ...own, ...SHOP, 'The tests need Redis'])
  mkdirSync(spool)
  for (const name of space.spooled()) renameSync(join(space.spool, name), join(spool, name))
  const doctor = await space.cli(['doctor', ...own])
  expect(doctor.stdout).toMatch(/warn +spool +3 writes .* spooled for the store/)
  // A store that is readable but not writable, because another process writes to it.
  const lock = new DatabaseSync(join(space.folder, 'other.db'))
  lock.exec('BEGIN IMMEDIATE')
  onTestFinished(() => lock.close())
  const { code, stdout, stderr } = await space.cli(['list', ...own, ...SHOP])
  expect(code).toBe(0)
  expect(stdout).toContain('The tests need Redis')
  expect(stderr).toContain('Warning: cannot store the spooled writes of an earlier run')
  lock.exec('ROLLBACK')
  expect((await space.cli(['list', ...own, ...SHOP])).stdout).toContain('Takes 5s to start')
})
