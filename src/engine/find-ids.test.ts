import { beforeAll, expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Nokosu } from './nokosu.ts'
import { openMemory } from './open-memory.ts'

const ALL = { everything: true } as const
let memory: Nokosu
let alive: string[]
let gone: string[]
let end: string

beforeAll(async () => {
  let at = Date.UTC(2026, 0, 1)
  memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), now: () => new Date(at++) })
  const add = async (i: number, projectId = 'shop') => {
    const input = { layer: 'project', identifiers: { projectId }, content: `Port ${i} is open`, exact: true } as const
    return (await memory.add(input)).memory.id
  }
  alive = [await add(1), await add(2), await add(3)]
  gone = [await add(4), await add(5), await add(6)]
  await add(7, 'bank')
  for (const id of [gone[1]!, gone[0]!, gone[2]!]) await memory.delete(id, ALL)
  end = alive[0]!.slice(0, 5)
})

const find = async (options: object) => (await memory.findIds(end, { ...ALL, ...options })).ids

it('finds by the beginning, the newest first, as many as asked for', async () => {
  const shop = memory.as({ projectId: 'shop' })
  expect((await shop.findIds(end, {})).ids).toEqual(alive.toReversed())
  expect(await find({ limit: 2 })).toHaveLength(2)
  expect(await find({ limit: 1 })).toHaveLength(1)
  expect(await find({})).toHaveLength(4)
  expect((await memory.findIds('ZZZZZZ', ALL)).ids).toEqual([])
  expect((await memory.findIds(alive[1]!.slice(-8), ALL)).ids).toEqual([alive[1]])
})

it('finds deleted ones behind them, the newest first, in the room that is left', async () => {
  expect((await find({ deleted: true })).slice(4)).toEqual(gone.toReversed())
  expect((await find({ deleted: true, limit: 6 })).slice(4)).toEqual(gone.toReversed().slice(0, 2))
  expect(await find({ deleted: true, limit: 4 })).toHaveLength(4)
  const { ids } = await memory.as({ projectId: 'bank' }).findIds(end, { deleted: true })
  expect(ids).toHaveLength(1)
})
