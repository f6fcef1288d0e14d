import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'

const LOOP = `
import { injectWorkspace, restoreWorkspace } from ${JSON.stringify(join(import.meta.dirname, '../../src/agents/workspace/workspace.ts'))}
const [folder, name] = process.argv.slice(1)
process.stdout.write('ready')
for (let i = 0; ; i++) {
  await injectWorkspace(folder, { instructions: 'Zebra ' + name + i, memory: i % 3 === 0 ? '' : '# Memory\\n\\n- Quokka\\n' })
  if (i % 2 === 0) await restoreWorkspace(folder)
}`

/** A process that injects and restores in a loop. */
async function startLoop(folder: string, name: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOOP, folder, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (part) => {
    errors += part
  })
  await new Promise((done) => child.stdout.once('data', done))
  const end = new Promise<string>((done) => child.once('close', () => done(errors)))
  return {
    kill() {
      child.kill('SIGKILL')
      return end
    },
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe('whatever happens in the middle', () => {
  it.each(['repository', 'no repository'])(
    'kill -9 at any moment leaves nothing that is not undone next time: %s',
    async (kind) => {
      const folder = scratch()
      const isRepository = kind === 'repository'
      if (isRepository) git(folder, 'init', '-q')
      writeFileSync(join(folder, 'CLAUDE.md'), 'own\r\ntext')
      if (isRepository) {
        git(folder, 'add', '-A')
        git(folder, 'commit', '-qm', 'start')
      }
      const [before, told] = [snapshot(folder), isRepository ? settings(folder) : {}]
      for (let round = 0; round < 12; round++) {
        const loop = await startLoop(folder, 'a')
        await pause(60 + ((round * 37) % 180))
        await loop.kill()
        if (isRepository) {
          await unlocked(folder)
          git(folder, 'add', '-A')
          expect(git(folder, 'diff', '--cached')).toBe('')
        }
        if (round % 2 === 0) await injectWorkspace(folder, { instructions: 'Zebra', memory: '- Quokka\n' })
        await restoreWorkspace(folder)
        expect(snapshot(folder)).toEqual(before)
        if (isRepository) expect(settings(folder)).toEqual(told)
      }
    },
  )

  it('several at once on one workspace: always one whole block, and at the end all is as it was', async () => {
    const folder = scratch()
    git(folder, 'init', '-q')
    writeFileSync(join(folder, 'CLAUDE.md'), 'own\n')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'start')
    const [before, told] = [snapshot(folder), settings(folder)]
    const loops = await Promise.all(['a', 'b'].map((name) => startLoop(folder, name)))
    for (let look = 0; look < 40; look++) {
      const text = readFileSync(join(folder, 'CLAUDE.md'), 'utf8')
      expect(text).toMatch(/^(<!-- nokosu:begin -->\nZebra [ab]\d+\n(\n@.*\n)?<!-- nokosu:end \w{16} -->\n)?own\n$/)
      await pause(20)
    }
    for (const loop of loops) expect(await loop.kill()).toBe('')
    await unlocked(folder)
    await Promise.all([1, 2, 3].map((i) => injectWorkspace(folder, { instructions: `Zebra ${i}`, memory: '' })))
    expect(readFileSync(join(folder, 'CLAUDE.md'), 'utf8').match(/nokosu:begin/g)).toHaveLength(1)
    await Promise.all([restoreWorkspace(folder), restoreWorkspace(folder)])
    expect(snapshot(folder)).toEqual(before)
    expect(settings(folder)).toEqual(told)
  })
})

/** The process was killed, but not the git that it had started. */
async function unlocked(folder: string): Promise<void> {
  const locks = ['index.lock', 'config.lock'].map((name) => join(folder, '.git', name))
  for (let look = 0; look < 100 && locks.some((lock) => existsSync(lock)); look++) await pause(20)
  await pause(30)
}
