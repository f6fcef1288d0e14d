import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { interceptStorage } from '../testing/intercept-storage.ts'
import type { Nokosu, OwnMemories } from './nokosu.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }
let memory: Nokosu
let shop: OwnMemories

beforeEach(async () => {
  memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
  shop = memory.as(SHOP)
})

describe('plain forms', () => {
  it('take a text where a text is all that is needed', async () => {
    await shop.add('Caddy must start after WireGuard', { category: 'dependency', service: 'caddy' })
    const [outcome] = await shop.remember('Backups run at 3')
    expect(outcome).toMatchObject({ kind: 'insert', memory: { category: 'learning', layer: 'project' } })
    expect(await shop.remember({ content: 'Backups run at 3', category: 'learning' })).toMatchObject([
      { kind: 'reinforce' },
    ])
    expect(await shop.remember(['Mail leaves at noon', { content: 'Mail is queued' }], { session: 's' })).toHaveLength(
      2,
    )
    const { results } = await shop.search('caddy wireguard start', { limit: 1 })
    expect(results[0]?.memory).toMatchObject({ category: 'dependency', service: 'caddy', identifiers: SHOP })
    expect((await shop.list()).totalCount).toBe(4)
    for (const lines of [await Array.fromAsync(shop.export()), (await shop.deleted()).deleted])
      expect(Array.isArray(lines)).toBe(true)
    expect([await shop.sessions(), await shop.runs(), await shop.events()]).toMatchObject([
      { nextCursor: null },
      { nextCursor: null },
      { nextCursor: null },
    ])
    expect((await shop.context()).text).toContain('Caddy must start after WireGuard')
    expect((await memory.search('caddy', { identifiers: SHOP, threshold: 0 })).results).not.toEqual([])
  })

  it('every call without its argument says how it is made, and the example works', async () => {
    const wrong: string[] = []
    const own = memory.operator('ann') as never as Record<string, (...given: unknown[]) => Promise<unknown>>
    const free = ['export', 'context', 'list', 'deleted', 'sessions', 'runs', 'standings', 'fleet', 'events']
    for (const name of Object.keys(own).filter((each) => typeof own[each] === 'function' && !free.includes(each))) {
      const { message } = (await own[name]!().catch((error: Error) => error)) as Error
      const example = new RegExp(`${name}\\(\\) takes .*?: (${name}\\(.+\\))\\.$`).exec(message)?.[1]?.split(' or ')[0]
      if (example === undefined) wrong.push(`${name}: ${message}`)
      else {
        const call = new Function('own', 'id', 'output', `return own.${example}`)
        const failure = await call(own, '01K3EXAMPLE', 'x').catch((error: { code: string }) => error.code)
        if (failure === 'INVALID_INPUT') wrong.push(`${name}: ${example}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('a call that is made in another way is told how it is made', async () => {
    const told = async (call: Promise<unknown>) => ((await call.catch((error: Error) => error)) as Error).message
    expect(await told(shop.search(7 as never))).toBe(
      "search() takes a query: search('caddy restart') or search({ query: 'caddy restart' }).",
    )
    expect(await told(shop.add(undefined as never))).toMatch(/^add\(\) takes a text or an object: add\('/)
    expect(await told(shop.list('timing' as never))).toMatch(/^list\(\) takes an object, or nothing/)
    expect(await told(shop.recall('caddy' as never))).toMatch(/^recall\(\) takes an object with a moment: recall\(\{/)
    expect(await told(shop.get(undefined as never))).toMatch(/^Invalid id: it is missing\. get\(\) takes an id: get\('/)
    expect(await told(shop.add({ text: 'x' } as never))).toMatch(
      /^Invalid content: it is missing\. add\(\) takes a text/,
    )
    expect(await told(shop.bulkAdd('x' as never))).toMatch(
      /^Invalid memories: .+\. bulkAdd\(\) takes a list: bulkAdd\(\[/,
    )
    for (const wrong of [undefined, 5, [{ content: 'x' }, null]]) {
      expect(await told(shop.remember(wrong as never))).toMatch(
        /^Invalid candidates\[\d\]: .+\. remember\(\) takes a text/,
      )
    }
    expect(await told(shop.get(5 as never))).toMatch(/^Invalid id: .+\. get\(\) takes an id: get\('/)
    expect(await told(shop.search('x', { signal: 5 as never }))).toMatch(/^Invalid signal: it must be an AbortSignal/)
    expect(await told(memory.list({ identifiers: {} }))).toMatch(/Give identifiers, such as \{ projectId: 'shop' \}/)
    for (const call of [shop.add('x', null as never), shop.search('x', 5 as never), shop.search('x', null as never)])
      expect(await told(call)).toMatch(/options: they must be an object\. (add|search)\(\) takes a/)
  })

  it('a field or a value that does not exist is told with the one that was probably meant', async () => {
    const told = async (call: () => unknown) => {
      try {
        return await call()
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(await told(() => shop.add('x', { servce: 'caddy' } as never))).toMatch(/servce; did you mean service\?$/)
    expect(await told(() => shop.search('x', { topK: 3 } as never))).toMatch(/field topK; its fields are .*\blimit\b/)
    expect(await told(() => shop.list({ filter: { nope: { around: 1 } } } as never))).not.toMatch(/its fields are \./)
    expect(await told(() => shop.add('x', { category: 'timng' } as never))).toMatch(/did you mean timing\?$/)
    const { memory: added } = await shop.add('Port 80 is open')
    expect(await told(() => shop.update(added.id, { contnt: 'x' } as never))).toMatch(/did you mean content\?$/)
    expect(await told(() => memory.as({ project: 'x' } as never))).toMatch(/did you mean projectId\?$/)
    expect(await told(() => shop.record({ type: 'submission', projectId: 'shop', notes: 'Done' } as never))).toMatch(
      /field notes; its fields are type, .*\bsummary\.$/,
    )
    expect(await told(() => openMemory({ strage: 'x' } as never))).toMatch(/Did you mean storage/)
  })

  it('a day is its first moment', async () => {
    expect((await shop.add('Port 80 is open', { expiresAt: '2099-01-01' })).memory.expiresAt).toBe(
      '2099-01-01T00:00:00.000Z',
    )
    await expect(shop.add('x', { expiresAt: '2099-02-30' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('add and remember land in the nearest layer that is given, and facts in the project', async () => {
    for (const [identifiers, layer] of [
      [{ userId: 'ann' }, 'user'],
      [{ teamId: 'web' }, 'team'],
      [{ agentId: 'nori' }, 'agent'],
      [{ userId: 'ann', projectId: 'shop' }, 'project'],
    ] as const) {
      const own = memory.as(identifiers)
      expect((await own.add(`Added for the ${layer}`, { exact: true })).memory.layer).toBe(layer)
      const [told] = await own.remember({ content: `Said to the ${layer}`, category: 'timing' })
      expect(told).toMatchObject({ memory: { layer } })
    }
  })

  it('a text of an agent in a project is the project’s, by add and remember alike, unless it is said to be private', async () => {
    const nori = memory.as({ agentId: 'nori', projectId: 'shop' })
    expect((await nori.add('Prices are in cents')).memory.layer).toBe('project')
    for (const said of ['The queue has no limit', { content: 'Mail leaves at noon' }]) {
      expect(await nori.remember(said)).toMatchObject([
        { memory: { layer: 'project', identifiers: { agentId: 'nori' } } },
      ])
    }
    const own = { content: 'I forget the lock file', category: 'learning' } as const
    expect(await nori.remember(own)).toMatchObject([{ memory: { layer: 'agent' } }])
    expect(await nori.remember('Only I work at night', { layer: 'agent' })).toMatchObject([
      { memory: { layer: 'agent' } },
    ])
  })

  it('a wrong option of openMemory is named, with what is right', async () => {
    const told = async (options: object) =>
      ((await openMemory(options as never).catch((error: Error) => error)) as Error).message
    expect(await told([])).toBe("openMemory() takes an object: openMemory({ storage: 'sqlite:.nokosu/memory.db' }).")
    expect(await told({ storage: 5 })).toMatch(/^Invalid storage: it must be a store or its URL/)
    expect(await told({ embedding: 'hashing' })).toMatch(
      /as in openMemory\(\{ embedding: \{ kind: 'hashing' \} \}\)\.$/,
    )
    expect(await told({ embedder: {} })).toMatch(/Did you mean embedding: openMemory\(\{ embedding/)
    expect(await told({ relations: {} })).toMatch(/^Invalid relations: it must be/)
    expect(await told({ memory: { maxKeeep: 3 } })).toMatch(
      /^Invalid memory: it has no field maxKeeep; its fields are enabled/,
    )
    expect(await told({ memory: { maxKeep: -3 } })).toMatch(/it needs a number of 0 or more as maxKeep/)
    expect(await told({ retry: { retrys: 1 } })).toMatch(/^Invalid retry: it has no field retrys/)
    expect(await told({ now: 3 })).toMatch(/^Invalid now: it must be a function/)
    expect(await told({ signal: 3 })).toMatch(/^Invalid signal: it must be an AbortSignal/)
  })

  it('times are dates or ISO strings', async () => {
    const expiresAt = new Date('2099-01-01T00:00:00Z')
    const { memory: added } = await shop.add('Port 80 is open', { expiresAt, occurredAt: '2026-01-31T12:00:00+02:00' })
    expect(added).toMatchObject({ expiresAt: expiresAt.toISOString(), occurredAt: '2026-01-31T10:00:00.000Z' })
    expect((await shop.tally({ since: new Date(0) })).memories).toBe(1)
    await shop.update(added.id, { expiresAt: new Date('2098-01-01T00:00:00Z') })
    expect(await memory.purge({ before: '2020-01-01T00:00:00Z', dryRun: true })).toMatchObject({ memories: 0 })
    await expect(shop.add('x', { expiresAt: new Date(Number.NaN) })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('openMemory', () => {
  it('refuses an option that does not exist, and names the one that was meant', async () => {
    await expect(openMemory({ db: 'sqlite:x.db' } as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('has no option db. Did you mean storage'),
    })
    const provider = { add() {}, search() {}, list() {}, get() {} }
    await expect(openMemory({ storage: provider as never })).rejects.toThrow(/nokosu\/provider/)
  })

  it('is closed at the end of its block', async () => {
    let closed = 0
    const storage = interceptStorage(referenceStorage(), {
      before: (method) => void (method === 'shutdown' && closed++),
    })
    {
      await using own = await openMemory({ storage, embedding: hashingEmbedding() })
      await own.as(SHOP).list()
      expect(closed).toBe(0)
    }
    expect(closed).toBe(1)
  })
})

describe('a signal', () => {
  it('stops a call that waits, with its own reason, and nothing is stored', async () => {
    const embedding = { ...hashingEmbedding(), embed: () => new Promise<never>(() => {}) }
    const own = await openMemory({ storage: referenceStorage(), embedding, relations: null })
    const mine = own.as(SHOP)
    const reason = new Error('enough')
    for (const call of [
      (signal: AbortSignal) => mine.add('Backups run at 3', { signal }),
      (signal: AbortSignal) => mine.bulkAdd(['Backups run at 3'], { signal, exact: true }),
      (signal: AbortSignal) => mine.remember('Backups run at 3', { signal }),
      (signal: AbortSignal) =>
        mine.capture('[MEMORY:timing] Backups run at 3', { format: 'text', session: 's', signal }),
      (signal: AbortSignal) => mine.search('backups', { signal }),
    ]) {
      const controller = new AbortController()
      const waiting = call(controller.signal)
      await Promise.resolve()
      controller.abort(reason)
      await expect(waiting).rejects.toBe(reason)
      await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason)
    }
    expect(await own.stats()).toMatchObject({ memories: 0 })
    expect((await mine.sessions({})).sessions).toEqual([])
  })

  it('ends the wait for a file that another process has locked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nokosu-signal-'))
    const path = join(folder, 'memory.db')
    const own = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), relations: null })
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const reason = new Error('enough')
    const controller = new AbortController()
    const waiting = own.as(SHOP).add('Backups run at 3', { exact: true, signal: controller.signal })
    controller.abort(reason)
    // The lock is still held, so only the signal can have ended the wait.
    await expect(waiting).rejects.toBe(reason)
    other.close()
    expect(await own.stats()).toMatchObject({ memories: 0 })
    await own.shutdown()
    await rm(folder, { recursive: true })
  })

  it('ends every call that waits for the store', async () => {
    let silent = false
    const before = () => (silent ? new Promise<void>(() => {}) : undefined)
    const storage = interceptStorage(referenceStorage(), { before })
    const own = await openMemory({ storage, embedding: hashingEmbedding(), relations: null })
    const mine = own.as(SHOP)
    const { memory: known } = await mine.add('Backups run at 3')
    silent = true
    const reason = new Error('enough')
    const lines = async function* () {
      yield await new Promise<never>(() => {})
    }
    const session = { session: 'run-1' }
    const calls: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
      get: (signal) => mine.get(known.id, { signal }),
      update: (signal) => mine.update(known.id, { content: 'Backups run at 4' }, { signal }),
      delete: (signal) => mine.delete(known.id, { signal }),
      bulkDelete: (signal) => mine.bulkDelete([known.id], { signal }),
      list: (signal) => mine.list({ signal }),
      generateEmbedding: (signal) => mine.generateEmbedding('never seen', { signal }),
      record: (signal) => mine.record({ type: 'hint', projectId: 'shop', summary: 'Cents' } as never, { signal }),
      prune: (signal) => mine.prune({ layer: 'project', identifiers: SHOP, signal }),
      context: (signal) => mine.context({ signal }),
      recall: (signal) => mine.recall({ moment: { kind: 'prompt', text: 'when do backups run' }, signal }),
      review: (signal) => mine.review(known.id, 'accept', { signal }),
      decisions: (signal) => mine.decisions(known.id, { signal }),
      undo: (signal) => mine.undo(known.id, { signal }),
      settle: (signal) => mine.settle([known.id, 'other'], 'same', { signal }),
      retract: (signal) => mine.retract(known.id, { why: 'wrong', signal }),
      history: (signal) => mine.history(known.id, { signal }),
      usefulness: (signal) => mine.usefulness([known.id], { signal }),
      restore: (signal) => mine.restore(known.id, { signal }),
      deleted: (signal) => mine.deleted({ signal }),
      findIds: (signal) => mine.findIds(known.id.slice(0, 8), { signal }),
      tally: (signal) => mine.tally({ since: new Date(0), signal }),
      session: (signal) => mine.session('run-1', { signal }),
      sessions: (signal) => mine.sessions({ signal }),
      runs: (signal) => mine.runs({ signal }),
      injections: (signal) => mine.injections({ ...session, signal }),
      events: (signal) => mine.events({ signal }),
      export: (signal) => Array.fromAsync(mine.export({ signal })),
      'personality.get': (signal) => mine.personality.get('nori', { signal }),
      'personality.list': (signal) => mine.personality.list({ signal }),
      'directory.list': (signal) => own.directory.list({ signal }),
      'tokens.list': (signal) => own.tokens.list({ signal }),
      stats: (signal) => own.stats({ signal }),
      healthCheck: (signal) => own.healthCheck({ signal }),
      sweep: (signal) => own.sweep({ signal }),
      purge: (signal) => own.purge({ signal }),
      reembed: (signal) => own.reembed({ signal }),
      import: (signal) => own.import(lines(), { signal }),
      openMemory: (signal) => openMemory({ storage, embedding: hashingEmbedding(), signal }),
    }
    for (const [name, call] of Object.entries(calls)) {
      const controller = new AbortController()
      const waiting = call(controller.signal)
      await new Promise(setImmediate)
      controller.abort(reason)
      await expect(waiting, name).rejects.toBe(reason)
      await expect(call(AbortSignal.abort(reason)), name).rejects.toBe(reason)
    }
  })
})
