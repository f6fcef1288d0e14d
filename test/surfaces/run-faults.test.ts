import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { runWorker } from '../stress/worker-process.ts'
import { scratch } from './git-workspace.ts'
import { AGENT, idle, runWorkspace, saying, until } from './run-agent.ts'
import { startCli } from './run-cli.ts'

const MARKER = '[MEMORY:timing:web] Takes 60s to start'
const LATER = '[MEMORY:behavior] Logs are rotated at noon'
/** The agent's memories. The instructions before them contain example markers, which would count as output. */
const SHOW = `printenv NOKOSU_CONTEXT | sed -n '/^# Memory/,$p'`

/** A slow write by another process. */
function lock({ folder }: { folder: string }): () => void {
  const database = new DatabaseSync(join(folder, '.nokosu/memory.db'))
  database.exec('BEGIN EXCLUSIVE')
  const release = () => {
    if (database.isOpen) database.close()
  }
  onTestFinished(release)
  return release
}

it('[B08] a locked store delays the agent by no more than its bound, and what it said is delivered once', async () => {
  const space = runWorkspace()
  await space.run([...AGENT, ...saying(MARKER)])
  const release = lock(space)
  // It finishes while the lock is held.
  const ran = await space.run([...AGENT, '--store-timeout', '1', '--trace', ...saying(LATER)])
  expect(ran).toMatchObject({ code: 0, stdout: `${LATER}\n` })
  expect(ran.stderr).toContain('1 observation(s) are spooled for the next run: The store took too long.')
  expect(space.spooled()).toHaveLength(1)
  release()
  expect((await space.run([...AGENT, ...idle])).code).toBe(0)
  expect(await space.contents()).toEqual(['Logs are rotated at noon', 'Takes 60s to start'])
  expect(space.spooled()).toEqual([])
  expect((await space.sessions()).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
})

it('a read beside a locked store leaves what waits to the next command', async () => {
  const space = runWorkspace()
  await space.run([...AGENT, ...saying(MARKER)])
  const database = new DatabaseSync(join(space.folder, '.nokosu/memory.db'))
  onTestFinished(() => database.close())
  database.exec('BEGIN IMMEDIATE')
  await space.run([...AGENT, '--store-timeout', '1', ...saying(LATER)])
  const waiting = space.spooled().length
  expect(waiting).toBeGreaterThan(0)
  const read = await space.cli(['context', ...AGENT])
  expect(read.stdout).toContain('Takes 60s to start')
  // Four attempts of five seconds each would tell another reason.
  expect(read.stderr).toContain('The next command tries again.')
  expect(space.spooled().filter((name) => name.includes('ready'))).toHaveLength(waiting)
  database.exec('ROLLBACK')
  await space.cli(['list', ...AGENT])
  expect(space.spooled()).toEqual([])
})

it('beside a writer that holds its lock, the agent still gets its memories', async () => {
  const space = runWorkspace()
  await space.run([...AGENT, ...saying(MARKER)])
  const database = new DatabaseSync(join(space.folder, '.nokosu/memory.db'))
  onTestFinished(() => database.close())
  database.exec('BEGIN IMMEDIATE')
  const show = ['--', 'sh', '-c', SHOW]
  const { stdout } = await space.run([...AGENT, '--store-timeout', '1', ...show])
  expect(stdout).toContain('- web: Takes 60s to start')
  database.exec('ROLLBACK')
  // The showing is recorded afterwards, once.
  await space.json(['add', '--project', 'elsewhere', 'Anything'])
  const [memory] = await space.memories()
  expect(memory).toMatchObject({ recallCount: 1 })
})

it('a store that is no store stops nobody, and any write delivers once it is mended', async () => {
  const space = runWorkspace()
  mkdirSync(join(space.folder, '.nokosu'))
  const file = join(space.folder, '.nokosu/memory.db')
  writeFileSync(file, 'This is no database, and is long enough to look like one. '.repeat(50))
  const ran = await space.run([...AGENT, ...saying(MARKER, LATER)])
  expect(ran).toMatchObject({
    code: 0,
    stdout: `${MARKER}\n${LATER}\n`,
    stderr: expect.stringContaining('not a SQLite database'),
  })
  rmSync(file)
  await space.json(['add', '--project', 'elsewhere', 'Anything'])
  expect(await space.contents()).toEqual(['Logs are rotated at noon', 'Takes 60s to start'])
  expect(await space.sessions()).toMatchObject([{ agent: 'nori', role: 'coder', exitCode: 0, outcome: 'success' }])
})

it('where nothing can be written beside the store, the spool is in the user’s state folder', async () => {
  const space = runWorkspace()
  writeFileSync(join(space.folder, '.nokosu'), 'a file in the place of the folder')
  const { code } = await space.run([...AGENT, '--store-timeout', '1', ...saying(MARKER)])
  expect(code).toBe(0)
  const [folder] = readdirSync(join(space.state, 'nokosu/spool'))
  expect(space.spooled(join(space.state, 'nokosu/spool', folder!))).toHaveLength(1)
  rmSync(join(space.folder, '.nokosu'))
  await space.run([...AGENT, ...idle])
  expect(await space.contents()).toEqual(['Takes 60s to start'])
})

it('where nothing can be written at all the agent runs, and the loss is told', async () => {
  const space = runWorkspace()
  writeFileSync(join(space.folder, '.nokosu'), '')
  writeFileSync(space.state, '')
  const { code, stdout, stderr } = await space.run([...AGENT, ...saying(MARKER)])
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${MARKER}\n` })
  expect(stderr).toContain('1 observation(s) are lost')
})

it('on a full disk the agent runs, and what it said waits on another disk until there is space again', async () => {
  const [disk, other] = [scratch(), scratch()]
  // In a separate mount namespace, so that the small disk disappears with the process.
  const under = ['unshare', process.getuid?.() === 0 ? '-m' : '-rm']
  const [line] = await runWorker('run-on-full-disk', [disk, other], { under })
  const { before, full, waiting, after, contents, left, moved } = JSON.parse(line!)
  expect(before).toMatchObject({ code: 0, stderr: '' })
  expect(full).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/# Role: coder.*rotated at noon\n.*at night\n$/s),
  })
  expect(full.stderr).toMatch(/store is not available: .*2 observation\(s\) are spooled/s)
  expect(waiting).toEqual({ beside: [], elsewhere: [2] })
  for (const ran of after) expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(contents).toEqual(['Logs are rotated at noon', 'Mail goes out at night', 'Takes 60s to start'])
  expect(left).toEqual([])
  // A disk that fills up while the run spools to it.
  expect(moved).toEqual({ beside: [], elsewhere: [3] })
})

it('an embedding service that never answers costs no more than the bound', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const space = runWorkspace()
  const env = { NOKOSU_EMBEDDING: `http://127.0.0.1:${port}?model=slow&dimensions=8` }
  const ran = await space.run([...AGENT, '--store-timeout', '1', ...saying(MARKER)], { env })
  expect(ran).toMatchObject({ code: 0, stdout: `${MARKER}\n` })
  await space.run([...AGENT, ...idle])
  expect(await space.contents()).toEqual(['Takes 60s to start'])
})

it('no secret reaches the spool', async () => {
  const space = runWorkspace()
  await space.run([...AGENT, ...idle])
  lock(space)
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  await space.run([...AGENT, '--store-timeout', '0.5', ...saying(`[MEMORY:behavior] The token ${secret} works`)])
  const spooled = readFileSync(join(space.spool, space.spooled()[0]!), 'utf8')
  expect(spooled).toContain('The token')
  expect(spooled).not.toContain(secret)
})

it('a read-only store still shows what it has, and what is said waits until it can be written', async () => {
  const space = runWorkspace()
  await space.run([...AGENT, ...saying(MARKER)])
  // SQLite reads but does not write a file with a newer format version.
  const file = join(space.folder, '.nokosu/memory.db')
  const setWriteVersion = (version: number) => {
    const bytes = readFileSync(file)
    bytes[18] = version
    writeFileSync(file, bytes)
  }
  setWriteVersion(3)
  const script = `${SHOW}; echo '${LATER}'`
  const { code, stdout, stderr } = await space.run([...AGENT, '--', 'sh', '-c', script])
  expect(code).toBe(0)
  expect(stdout).toContain('- web: Takes 60s to start')
  expect(stderr).toMatch(/1 observation\(s\) are spooled for the next run: .* is read-only/)
  expect(space.spooled()).toHaveLength(1)
  setWriteVersion(2)
  await space.run([...AGENT, ...idle])
  expect(await space.contents()).toEqual(['Logs are rotated at noon', 'Takes 60s to start'])
})

it('a suggestion for a scope that the run does not have is refused alone', async () => {
  const space = runWorkspace()
  writeFileSync(join(space.folder, 'nokosu.config.json'), JSON.stringify({ memory: { includeHintsFromOutputs: true } }))
  const suggestion = { scope: 'task', event_type: 'hint', summary: 'Ask before you rename', importance: 70, tags: [] }
  const lines = [MARKER, '## MEMORY_SUGGESTIONS', '```json', JSON.stringify([suggestion]), '```', LATER]
  const { code, stderr } = await space.run([...AGENT, ...saying(...lines)])
  expect(code).toBe(0)
  expect(stderr).toContain('not remembered: The task layer needs taskId.')
  expect(await space.contents()).toEqual(['Logs are rotated at noon', 'Takes 60s to start'])
})

it('a flood of output is passed on and read in bounded memory', async () => {
  const space = runWorkspace()
  const script = `
    const fs = require('fs')
    const line = JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', content: 'y'.repeat(60000) }] } }) + '\\n'
    const write = (text) => { for (let left = Buffer.from(text); left.length > 0; ) left = left.subarray(fs.writeSync(1, left)) }
    write('{"type":"system","subtype":"init"}\\n')
    for (let i = 0; i < 3500; i++) write(line)
    write(JSON.stringify({ type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: '${MARKER}' }] } }) + '\\n')
    fs.writeFileSync('done', '')
    setInterval(() => { if (fs.existsSync('go')) process.exit(0) }, 20)`
  const file = join(space.folder, 'flood.cjs')
  writeFileSync(file, script.replaceAll('\\\\', '\\'))
  const args = ['run', '--workspace', space.work, ...AGENT, '--', process.execPath, file]
  const child = startCli(args, { cwd: space.folder, env: space.env })
  child.stdin!.end()
  let bytes = 0
  let most = 0
  child.stdout!.on('data', (part: Buffer) => {
    bytes += part.length
  })
  const code = new Promise((resolve) => child.once('exit', resolve))
  await until(() => {
    const used = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024
    most = Math.max(most, used)
    return existsSync(join(space.work, 'done'))
  })
  writeFileSync(join(space.work, 'go'), '')
  expect(await code).toBe(0)
  expect(bytes).toBeGreaterThan(210_000_000)
  expect(most).toBeGreaterThan(10)
  expect(most).toBeLessThan(300)
  expect(await space.contents()).toEqual(['Takes 60s to start'])
})
