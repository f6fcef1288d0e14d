import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, settings, snapshot } from './git-workspace.ts'
import { runWorkspace, until } from './run-agent.ts'
import { finish, NOKOSU, startCli } from './run-cli.ts'

const OWN = '# Shop\n\nown text\n'

/** An agent that looks at its CLAUDE.md and memory file again and again, until it is told to end. */
const WATCHING = `
const fs = require('fs'), { spawnSync } = require('child_process')
const [name, folder] = process.argv.slice(1)
let looks = 0, missed = 0
const look = () => {
  looks++
  const text = fs.readFileSync('CLAUDE.md', 'utf8')
  if (!/^<!-- nokosu:begin -->[^]*# Role: [^]*<!-- nokosu:end -->\\n# Shop\\n\\nown text\\n$/.test(text)) missed++
  if (!fs.readFileSync('.claude/memory/MEMORY.md', 'utf8').includes('60s')) missed++
  if (fs.existsSync(folder + '/end-' + name)) {
    const status = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout
    console.log(JSON.stringify({ missed, status }))
    fs.writeFileSync(folder + '/ended-' + name, '')
  } else setTimeout(look, 10)
  if (looks === 5) fs.writeFileSync(folder + '/began-' + name, '')
}
look()`

function project() {
  const space = runWorkspace()
  const { work, folder } = space
  git(work, 'init', '-q')
  writeFileSync(join(work, 'CLAUDE.md'), OWN)
  git(work, 'add', '-A')
  git(work, 'commit', '-qm', 'start')
  const state = () => ({ tree: snapshot(work), settings: settings(work), status: git(work, 'status', '--porcelain') })
  const start = async (name: string, agent: string) => {
    const command = ['--', process.execPath, '-e', WATCHING, name, folder]
    const args = ['run', '--workspace', work, '--agent', agent, '--project', 'shop', ...command]
    const child = startCli(args, { cwd: folder, env: space.env })
    child.stdin!.end()
    const ended = finish(child)
    await until(() => existsSync(join(folder, `began-${name}`)))
    return {
      kill: () => child.kill('SIGKILL'),
      async end() {
        writeFileSync(join(folder, `end-${name}`), '')
        const { stdout, stderr, code } = await ended
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        return JSON.parse(stdout)
      },
      ended,
    }
  }
  const learn = (agent: string) =>
    space.run(['--agent', agent, '--project', 'shop', '--', 'echo', '[MEMORY:timing:web] Takes 60s to start'])
  return { ...space, state, start, learn }
}

const ALL_WELL = { missed: 0, status: '' }

it('runs that overlap in one workspace each have their CLAUDE.md until they end, also beside one that is killed', async () => {
  const { state, start, learn, work, folder } = project()
  for (const agent of ['nori', 'koji']) await learn(agent)
  const before = state()
  const first = await start('first', 'nori')
  const second = await start('second', 'koji')
  const third = await start('third', 'nori')
  expect(await first.end()).toEqual(ALL_WELL)
  third.kill()
  // The agent of the killed run is still there, and so is what it needs.
  const fourth = await start('fourth', 'nori')
  expect(readFileSync(join(work, 'CLAUDE.md'), 'utf8')).toContain('# Role: coder')
  expect(await fourth.end()).toEqual(ALL_WELL)
  expect(readFileSync(join(work, 'CLAUDE.md'), 'utf8')).toContain('# Role: reviewer')
  writeFileSync(join(folder, 'end-third'), '')
  await until(() => existsSync(join(folder, 'ended-third')))
  await third.ended
  expect(await second.end()).toEqual(ALL_WELL)
  expect(state()).toEqual(before)
  expect(readFileSync(join(work, 'CLAUDE.md'), 'utf8')).toBe(OWN)
}, 60_000)

it('--restore by hand names the run that needs the workspace, and --force does it all the same', async () => {
  const { state, start, learn, work, json, failure, run } = project()
  await learn('nori')
  const before = state()
  const nori = await start('only', 'nori')
  const restore = ['inject', '--restore', '--workspace', work]
  expect(await failure(restore)).toMatchObject({ exit: 5, code: 'CONFLICT', details: { holders: [{ name: 'nori' }] } })
  expect(await nori.end()).toEqual(ALL_WELL)
  expect(state()).toEqual(before)
  expect(await json(restore)).toEqual({ workspace: work, restored: false })
  const forced = ['--', process.execPath, NOKOSU, ...restore, '--force']
  const other = await run(['--agent', 'nori', '--project', 'shop', ...forced])
  expect(other).toMatchObject({ code: 0, stdout: 'Restored.\n', stderr: '' })
  expect(state()).toEqual(before)
}, 60_000)
