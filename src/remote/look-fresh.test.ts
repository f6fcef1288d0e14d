import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/remote-store.ts'
import type { StoreConnection } from './client.ts'
import { lookFresh } from './look-fresh.ts'
import { newSpoolName, spoolPath } from './spool-file.ts'

/** A spool with or without pending records. */
function spool(waits: boolean): string[] {
  const folder = join(temporaryFolder(), 'spool')
  mkdirSync(folder)
  if (waits) writeFileSync(spoolPath(folder, newSpoolName(), 'ready'), '')
  return [folder]
}

const warnings: string[] = []
const fresh = (waits: boolean, boundMs: number) => ({
  spoolFolders: spool(waits),
  boundMs,
  warn: (text: string) => void warnings.push(text),
})

/** A store that records its calls and gives these answers. */
function store(deliver: () => Promise<unknown> = async () => ({ delivered: 1, failures: [] })) {
  const asked: string[] = []
  const connection = {
    request: (call: string) => {
      asked.push(call)
      return call === 'deliver' ? deliver() : Promise.resolve(null)
    },
  } as StoreConnection
  const look = async () => {
    asked.push('look')
    return asked.filter((call) => call === 'look').length
  }
  return { asked, connection, look }
}

it('what waits in the spool is delivered before the answer that counts, with the models loaded outside of the bound', async () => {
  const { asked, connection, look } = store()
  expect(await lookFresh(connection, fresh(true, 60_000), look)).toBe(2)
  expect(asked).toEqual(['look', 'warm', 'deliver', 'look'])
})

it('what could not be delivered is told', async () => {
  const { connection, look } = store(async () => ({ delivered: 0, failures: ['a record was set aside'] }))
  expect(await lookFresh(connection, fresh(true, 60_000), look)).toBe(1)
  expect(warnings).toEqual(['from an earlier run: a record was set aside'])
})

it('where nothing waits the store is asked once', async () => {
  const { asked, connection, look } = store()
  expect(await lookFresh(connection, fresh(false, 60_000), look)).toBe(1)
  expect(asked).toEqual(['look'])
})

it.each([
  ['never ends', () => new Promise<never>(() => {})],
  ['fails', () => Promise.reject(new Error('no'))],
])('a delivery that %s leaves the first answer', async (_, deliver) => {
  const { connection, look } = store(deliver)
  warnings.length = 0
  expect(await lookFresh(connection, fresh(true, 30), look)).toBe(1)
  expect(warnings).toEqual([expect.stringMatching(/not delivered in time, so this agent may not see them/)])
})

it('where the time ends before everything is delivered, what there is is shown and the rest is told', async () => {
  const { connection, look } = store(async () => ({ delivered: 3, failures: [], more: true }))
  warnings.length = 0
  expect(await lookFresh(connection, fresh(true, 60_000), look)).toBe(2)
  expect(warnings).toEqual([expect.stringMatching(/not delivered in time/)])
})

it('a store that does not answer is not asked to deliver', async () => {
  const { asked, connection } = store()
  const silent = lookFresh(connection, fresh(true, 30), () => Promise.reject(new Error('no')))
  await expect(silent).rejects.toThrow('no')
  expect(asked).toEqual([])
})
