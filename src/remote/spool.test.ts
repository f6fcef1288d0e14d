import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../../test/fixtures/scratch-folder.ts'
import { Spool } from './spool.ts'
import { MOST_RECORD_BYTES, type SpoolRecord } from './spool-file.ts'

const record = (key: string, input: unknown = {}): SpoolRecord => ({ key, call: 'remember', input })

function folders() {
  const base = scratchFolder()
  const names = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const keys = (folder: string) =>
    names(folder).map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).key),
    )
  return { base, first: join(base, 'first'), second: join(base, 'second'), names, keys }
}

it('a record is on the disk when it is appended, and its file goes when the store has everything', async () => {
  const { first, keys, names } = folders()
  const spool = new Spool([first])
  await spool.append([record('a'), record('b')])
  expect(keys(first)).toEqual([['a', 'b']])
  expect(names(first)).toEqual([expect.stringContaining('.open.')])
  await spool.settle('a')
  expect(keys(first)).toEqual([['a', 'b']])
  await spool.settle('b')
  expect(names(first)).toEqual([])
  await spool.append([record('c')])
  await spool.release()
  expect(keys(first)).toEqual([['c']])
  expect(names(first)).toEqual([expect.stringContaining('.ready.')])
})

it('what could be written nowhere is written with what comes next', async () => {
  const { first, second, keys } = folders()
  for (const folder of [first, second]) writeFileSync(folder, 'in the way')
  const spool = new Spool([first, second])
  await expect(spool.append([record('a')])).rejects.toThrow()
  rmSync(second)
  await spool.append([record('b')])
  await spool.append([record('c')])
  await spool.release()
  expect(keys(second)).toEqual([['a', 'b', 'c']])
})

it('every spool has a file of its own, however many there are', async () => {
  const { first, keys } = folders()
  const spools = Array.from({ length: 20 }, () => new Spool([first]))
  await Promise.all(spools.map((spool, i) => spool.append([record(`k${i}`)])))
  await Promise.all(spools.map((spool) => spool.release()))
  expect(keys(first).flat().sort()).toEqual(spools.map((_, i) => `k${i}`).sort())
  expect(keys(first)).toHaveLength(20)
})

it('a file that others took away is begun anew with everything that the store does not have', async () => {
  const { first, keys, names } = folders()
  const spool = new Spool([first])
  await spool.append([record('a'), record('b')])
  await spool.settle('a')
  const taken = join(first, names(first)[0]!)
  renameSync(taken, taken.replace('.open.', '.taken-0.'))
  await spool.append([record('c')])
  rmSync(taken.replace('.open.', '.taken-0.'))
  expect(keys(first)).toEqual([['b', 'c']])
})

it('a record that is too long is refused, and the others are written', async () => {
  const { first, keys } = folders()
  const spool = new Spool([first])
  await expect(spool.append([record('long', 'x'.repeat(MOST_RECORD_BYTES))])).rejects.toMatchObject({
    code: 'CONTENT_TOO_LONG',
  })
  await spool.append([record('a')])
  expect(keys(first)).toEqual([['a']])
})

it('git sees nothing of it, nor of the project folder that it creates', async () => {
  const { base } = folders()
  const spool = new Spool([join(base, '.nokosu/spool')])
  await spool.append([record('a')])
  for (const folder of ['.nokosu', '.nokosu/spool']) {
    expect(readFileSync(join(base, folder, '.gitignore'), 'utf8')).toBe('*\n')
  }
  // An existing folder belongs to its owner.
  mkdirSync(join(base, 'other/.nokosu'), { recursive: true })
  await new Spool([join(base, 'other/.nokosu/spool')]).append([record('a')])
  expect(readdirSync(join(base, 'other/.nokosu'))).toEqual(['spool'])
})
