import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { observation, temporaryFolder } from '../../test/remote-store.ts'
import { MemoryError } from '../model/errors.ts'
import type { StoreConnection } from './client.ts'
import { Outbox } from './outbox.ts'

const identifiers = { projectId: 'shop' }
const locked = new MemoryError('PROVIDER_ERROR', 'The store is locked.')

/** A store whose requests go through a function. */
function outboxTo(handle: (content: string, key: string) => unknown) {
  const folder = join(temporaryFolder(), 'spool')
  const files = () => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
    } catch {
      return []
    }
  }
  const onDisk = () =>
    files()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('')
  const store: StoreConnection = {
    request: async (_, input, { key }) =>
      (await handle((input as { candidate: { content: string } }).candidate.content, key!)) as never,
  }
  const outbox = new Outbox(store, [folder])
  const post = (content: string) => outbox.post('remember', { candidate: observation(content), identifiers })
  return { folder, files, onDisk, outbox, post }
}

it('every record is on the disk before the store is asked, in order, one at a time', async () => {
  const seen: [string, boolean][] = []
  let busy = false
  const { outbox, post, onDisk, files } = outboxTo(async (content) => {
    expect(busy).toBe(false)
    busy = true
    await new Promise(setImmediate)
    seen.push([content, onDisk().includes(content)])
    busy = false
    return [content]
  })
  const fates = ['a', 'b', 'c'].map((content) => post(content))
  expect(await outbox.drain(60_000)).toBe(true)
  expect(seen).toEqual([
    ['a', true],
    ['b', true],
    ['c', true],
  ])
  expect(await Promise.all(fates)).toEqual([{ value: ['a'] }, { value: ['b'] }, { value: ['c'] }])
  expect(files()).toEqual([])
  expect(await outbox.close(500)).toEqual({ spooled: [], lost: [] })
})

it('what is posted while the store is asked is on the disk too before its turn', async () => {
  const seen: boolean[] = []
  const { outbox, post, onDisk } = outboxTo((content) => {
    if (content === 'a') void post('b')
    else seen.push(onDisk().includes('"content":"b"'))
    return []
  })
  void post('a')
  await expect.poll(() => seen).toEqual([true])
  expect(await outbox.drain(60_000)).toBe(true)
})

it('what is posted last and never asked for is in the spool', async () => {
  const { outbox, post, onDisk } = outboxTo(() => new Promise(() => {}))
  void post('a')
  expect(await outbox.close(500)).toEqual({ spooled: ['remember'], lost: [] })
  expect(onDisk()).toContain('"content":"a"')
})

it('what a store does not take stays in the spool, and nothing overtakes it', async () => {
  const asked: string[] = []
  const { outbox, post, files, onDisk } = outboxTo((content) => {
    asked.push(content)
    if (content === 'b') throw locked
    return []
  })
  for (const content of ['a', 'b', 'c']) void post(content)
  expect(await outbox.drain(60_000)).toBe(false)
  expect(outbox).toMatchObject({ failure: 'The store is locked.', isResting: true })
  expect(new Set(asked)).toEqual(new Set(['a', 'b']))
  expect(await outbox.close(500)).toEqual({ spooled: ['remember', 'remember'], lost: [] })
  expect(files()).toEqual([expect.stringContaining('.ready.')])
  expect(onDisk()).toContain('"content":"c"')
})

it('a record is tried again under the same key', async () => {
  const keys: string[] = []
  const { outbox, post } = outboxTo((_, key) => {
    keys.push(key)
    if (keys.length === 1) throw locked
    return []
  })
  void post('a')
  await expect.poll(() => keys.length).toBe(1)
  expect(await outbox.drain(60_000)).toBe(true)
  expect(keys).toEqual([keys[0], keys[0]])
})

it('a record that the store refuses is told, and the next ones go on', async () => {
  const { outbox, post, files } = outboxTo((content) => {
    if (content === 'bad') throw new MemoryError('INVALID_INPUT', 'Invalid content.')
    return []
  })
  const fates = ['a', 'bad', 'c'].map((content) => post(content))
  expect(await outbox.drain(60_000)).toBe(true)
  expect(await Promise.all(fates)).toEqual([{ value: [] }, { refused: 'Invalid content.' }, { value: [] }])
  expect(files()).toEqual([])
})

it('a record that no spool takes is refused at once, and holds up nothing', async () => {
  const { outbox, post } = outboxTo(() => [])
  const fates = ['a', 'x'.repeat(5 << 20), 'c'].map((content) => post(content))
  expect(await fates[1]).toEqual({ refused: expect.stringContaining('bytes') })
  expect(await outbox.drain(60_000)).toBe(true)
  expect(await Promise.all(fates)).toHaveLength(3)
})

it('a store that never answers is waited for no longer than asked', async () => {
  const { outbox, post } = outboxTo(() => new Promise(() => {}))
  void post('a')
  expect(await outbox.drain(100)).toBe(false)
  expect(outbox.failure).toBe('The store took too long.')
  expect(await outbox.close(500)).toEqual({ spooled: ['remember'], lost: [] })
})

it('without a spool the store is asked all the same, and what neither takes is told as lost', async () => {
  const asked: string[] = []
  const { folder, outbox, post } = outboxTo((content) => {
    asked.push(content)
    if (content === 'b') throw locked
    return []
  })
  writeFileSync(folder, 'in the way')
  for (const content of ['a', 'b']) void post(content)
  expect(await outbox.drain(60_000)).toBe(false)
  expect(asked).toContain('a')
  expect(await outbox.close(500)).toEqual({ spooled: [], lost: ['remember'] })
})
