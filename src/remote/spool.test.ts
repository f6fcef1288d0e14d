import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Spool, type SpoolRecord } from './spool.ts'

const record = (count: number): SpoolRecord => ({ kind: 'stored', count })

function folders() {
  const base = mkdtempSync(join(tmpdir(), 'spool-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const names = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const counts = (folder: string) =>
    names(folder).map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).count),
    )
  return { base, first: join(base, 'first'), second: join(base, 'second'), names, counts }
}

it('what could be written nowhere is written with what comes next, when that can be', async () => {
  const { base, first, second, counts } = folders()
  for (const folder of [first, second]) writeFileSync(folder, 'in the way')
  const spool = new Spool([first, second], 's')
  await expect(spool.append([record(1)])).rejects.toThrow()
  rmSync(second)
  await spool.append([record(2)])
  await spool.append([record(3)])
  await spool.release()
  expect(counts(second)).toEqual([[1, 2, 3]])
  expect(readdirSync(base)).toEqual(['first', 'second'])
})

it('goes on behind what a killed run of the same session left', async () => {
  const { first, counts, names } = folders()
  const killed = new Spool([first], 's')
  await killed.append([record(1)])
  expect(names(first)).toEqual([expect.stringContaining('.open.')])
  const spool = new Spool([first], 's')
  await spool.append([record(2)])
  await spool.release()
  expect(counts(first)).toEqual([[1, 2]])
  await killed.discard()
})
