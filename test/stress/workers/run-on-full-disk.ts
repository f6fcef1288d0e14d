import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Spool } from '../../../src/remote/spool.ts'
import type { SpoolRecord } from '../../../src/remote/spool-file.ts'

// Mounts a small disk on the first folder for the store, runs agents before it is full, while it is and after, and prints
// what happened. The workspace and the state folder are on another disk, in the second folder.
const [disk, other] = process.argv.slice(2) as [string, string]
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
const [work, state] = [join(other, 'work'), join(other, 'state')]
for (const folder of [work, state]) mkdirSync(folder)
const nokosu = join(import.meta.dirname, '../../../bin/nokosu.mjs')
const env = { PATH: process.env.PATH ?? '', HOME: other, XDG_STATE_HOME: state, NOKOSU_EMBEDDING: 'hashing' }
const AGENT = ['--agent', 'nori', '--project', 'shop']

const cli = (args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [nokosu, ...args], {
    cwd: disk,
    env,
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}
const run = (script: string) =>
  cli(['run', '--quiet', '--workspace', work, ...AGENT, '--store-timeout', '60', '--', 'sh', '-c', script])
const contents = () => {
  const { memories } = JSON.parse(cli(['list', '--include-inactive', ...AGENT, '--json']).stdout)
  return (memories as { content: string }[]).map(({ content }) => content).sort()
}
/** Number of observations per spool file. */
const spooled = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8').split('"call":"remember"').length - 1)

/** Fills it to the last byte. */
function fill(file: string): void {
  for (let size = 1 << 20; size >= 1; ) {
    try {
      appendFileSync(file, Buffer.alloc(size))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      size >>= 1
    }
  }
}

const before = run("echo '[MEMORY:timing:web] Takes 60s to start'")
const ballast = join(disk, 'ballast')
fill(ballast)
const full = run(
  "printenv NOKOSU_CONTEXT | grep '^# Role'; echo '[MEMORY:behavior] Logs are rotated at noon'; echo '[MEMORY:behavior] Mail goes out at night'; exit 7",
)
const waiting = { beside: spooled(disk), elsewhere: spooled(state) }
rmSync(ballast)
const after = [run('true'), run('true')]
const [result, left] = [contents(), [...spooled(disk), ...spooled(state)]]

const record = (content: string): SpoolRecord => ({
  key: content.slice(0, 20),
  call: 'remember',
  input: { candidate: { content, category: 'behavior' }, identifiers: { projectId: 'shop' }, session: 's' },
})
const spool = new Spool([join(disk, 'spool'), join(state, 'spool')])
await spool.append([record('before')])
fill(ballast)
// Longer than the free rest of the last block.
await spool.append([record('x'.repeat(8000))])
await spool.append([record('after')])
await spool.release()
const moved = { beside: spooled(disk), elsewhere: spooled(state) }
console.log(JSON.stringify({ before, full, waiting, after, contents: result, left, moved }))
