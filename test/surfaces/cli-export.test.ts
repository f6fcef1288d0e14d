import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { fill } from './fill-store.ts'
import { finish, startCli, workspace } from './run-cli.ts'

describe('moving', () => {
  it('an export is imported whole, once, and again without change', async () => {
    const { folder, run, json } = workspace()
    await fill(folder, 20)
    const { memory } = await json<{ memory: Memory }>(['add', '--project', 'p', 'line\u2028separator and ünïcode'])
    await json(['directory', 'set', '--project', 'p', '--team', 't'])
    expect(await json(['export', '--all', 'all.jsonl'])).toEqual({ file: 'all.jsonl', lines: 1 + 1 + 21 + 21 })
    const piped = await run(['export', '--all'])
    const withoutTime = (text: string) => text.split('\n').slice(1).join('\n')
    expect(withoutTime(piped.stdout)).toBe(withoutTime(readFileSync(join(folder, 'all.jsonl'), 'utf8')))

    const rest = { personalities: 0, injections: 0, events: 0, tokens: 0 }
    const added = { memories: 21, changes: 21, sessions: 0, directory: 1, ...rest }
    const nothing = { memories: 0, changes: 0, sessions: 0, directory: 0, ...rest }
    const copy = ['--db', 'copy.db']
    expect(await json(['import', 'all.jsonl', '--keep-trust', ...copy])).toEqual({
      added,
      held: 0,
      marked: 0,
      existing: 0,
      differing: [],
      bad: [],
      withoutVector: 0,
    })
    const again = await json(['import', '-', '--keep-trust', ...copy], { input: piped.stdout })
    expect(again).toEqual({
      added: nothing,
      existing: 21,
      differing: [],
      bad: [],
      withoutVector: 0,
      held: 0,
      marked: 0,
    })
    expect(await json(['get', '--all', memory.id, ...copy])).toEqual(memory)
    expect(await json(['list', '--all', ...copy])).toEqual(await json(['list', '--all']))
    expect(await json(['reembed', ...copy])).toEqual({ embedded: 0 })
  })

  it('reports bad lines, imports the others, and exits with 1', async () => {
    const { folder, run, failure } = workspace()
    await fill(folder, 2)
    const lines = (await run(['export', '--all', '--no-vectors'])).stdout.split('\n')
    const input = [lines[0], '{"type": "mem', lines[1], '{"type":"memory","memory":{}}', ...lines.slice(2)].join('\n')
    const ran = await run(['import', '-', '--db', 'copy.db', '--json'], { input })
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout)).toMatchObject({ added: { memories: 2 }, bad: [{ line: 2 }, { line: 4 }] })
    expect(await failure(['import', 'nothing.jsonl', '--db', 'new.db'])).toMatchObject({ exit: 2 })
    const shown = await run(['import', '-', '--db', 'copy.db'], { input })
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('line 2: ') })
  })

  it('Ctrl-C during an import leaves a store that works, and the next import finishes it', async () => {
    const { folder, run, json } = workspace()
    await fill(folder, 3000)
    const { stdout } = await run(['export', '--all', '--no-vectors'])
    const child = startCli(['import', '-', '--db', 'copy.db'], { cwd: folder })
    const ended = finish(child)
    child.stdin!.on('error', () => {})
    child.stdin!.write(stdout.slice(0, Math.floor(stdout.length / 4)))
    const count = async () =>
      (await json<{ totalCount: number }>(['list', '--all', '--limit', '1', '--db', 'copy.db'])).totalCount
    while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Stopped.') })
    const kept = await count()
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(3000)
    expect(await json(['import', '-', '--db', 'copy.db'], { input: stdout })).toMatchObject({
      added: { memories: 3000 - kept },
      existing: kept,
    })
    expect(await json(['doctor', '--db', 'copy.db'])).toMatchObject({ ok: true })
  })
})
