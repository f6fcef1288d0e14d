import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { contentsOf, openEngine, spooled, temporaryFolder } from '../../test/remote-store.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { Spool } from './spool.ts'
import { deliverSpool } from './spool-deliver.ts'
import { newSpoolName, type SpoolRecord, spoolPath } from './spool-file.ts'

function spoolFolder() {
  const folder = join(temporaryFolder(), 'spool')
  mkdirSync(folder)
  const write = (lines: readonly (SpoolRecord | string)[], state: 'open' | 'ready' | `taken-${string}` = 'ready') => {
    const path = spoolPath(folder, newSpoolName(), state)
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    writeFileSync(path, `${texts.join('\n')}\n`)
    return path
  }
  const files = (ending = '.jsonl') => readdirSync(folder).filter((name) => name.endsWith(ending))
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, write, files, read }
}

/** An engine that fails when `failing` returns an error. */
function failingEngine(engine: Nokosu, failing: (content: string) => Error | null): Nokosu {
  return {
    ...engine,
    remember: (candidates, target) => {
      const [first] = candidates as readonly { content: string }[]
      const error = failing(first!.content)
      return error === null ? engine.remember(candidates, target) : Promise.reject(error)
    },
  }
}

const locked = new MemoryError('PROVIDER_ERROR', 'The store is locked.', { retryable: true })

it('delivers what was left, record by record, each to its own target, and a file only once', async () => {
  const { folder, write, files } = spoolFolder()
  const engine = await openEngine()
  write([spooled('k1', 'Logs are rotated at noon'), spooled('k2', 'Prices are in cents', 'bakery')])
  write([spooled('k3', 'Mail goes out at night')])
  expect(await deliverSpool(engine, [folder, join(folder, 'none')])).toEqual({
    delivered: 3,
    rejected: 0,
    failures: [],
    more: false,
  })
  expect(await contentsOf(engine)).toEqual(['Logs are rotated at noon', 'Mail goes out at night'])
  expect(await contentsOf(engine, 'bakery')).toEqual(['Prices are in cents'])
  expect(files()).toEqual([])
  expect(await deliverSpool(engine, [folder])).toEqual({ delivered: 0, rejected: 0, failures: [], more: false })
})

it('a session begun, shown, ended and delivered late has the times when it happened', async () => {
  const { folder, write } = spoolFolder()
  const engine = await openEngine()
  const { memory } = await engine.add({ content: 'A fact', layer: 'project', identifiers: { projectId: 'shop' } })
  const begun = { id: 's1', project: 'shop', role: 'coder', at: '2026-01-01T10:00:00.000Z' }
  const showing = {
    identifiers: { projectId: 'shop' },
    session: 's1',
    format: 'file',
    entries: [{ memory: memory.id, position: 0, tokens: 3 }],
    at: '2026-01-01T10:00:01.000Z',
  }
  const ended = { id: 's1', exitCode: 3, outcome: 'failure', at: '2026-01-01T11:00:00.000Z' }
  const lines = [
    { key: 'k1', call: 'beginSession', input: begun },
    { key: 'k2', call: 'recordShowing', input: showing },
    { key: 'k3', call: 'endSession', input: ended },
  ]
  for (let again = 0; again < 2; again++) {
    write(lines)
    await deliverSpool(engine, [folder])
  }
  expect(await engine.session('s1', { everything: true })).toMatchObject({
    role: 'coder',
    startedAt: begun.at,
    endedAt: ended.at,
    exitCode: 3,
  })
  expect(await engine.get(memory.id, { everything: true })).toMatchObject({ recallCount: 1 })
  const { injections } = await engine.injections({ session: 's1', everything: true })
  expect(injections).toMatchObject([{ at: showing.at }])
})

describe('what cannot be used is set aside and named, and holds up nothing', () => {
  it.each([
    ['garbage', '{"key": "k2", "call": "remem', /not JSON/],
    ['no record', '{"hello": 1}', /not a spool record/],
    ['a call that does not exist', '{"key": "k2", "call": "drop", "input": {}}', /not a spool record/],
    ['a call that only reads', '{"key": "k2", "call": "context", "input": {}}', /not a spool record/],
    ['a delivery inside a delivery', '{"key": "k2", "call": "deliver", "input": {}}', /not a spool record/],
    ['an input that the schema refuses', '{"key": "k2", "call": "remember", "input": {"candidate": {}}}', /Invalid/],
    ['one that the engine refuses', JSON.stringify(spooled('k2', 'x'.repeat(70_000))), /too long/],
  ])('%s', async (_, line, reason) => {
    const { folder, write, files, read } = spoolFolder()
    const engine = await openEngine()
    write([spooled('k1', 'Logs are rotated at noon'), line, spooled('k3', 'Mail goes out at night')])
    const { delivered, rejected, failures } = await deliverSpool(engine, [folder])
    expect({ delivered, rejected }).toEqual({ delivered: 2, rejected: 1 })
    expect(await contentsOf(engine)).toEqual(['Logs are rotated at noon', 'Mail goes out at night'])
    const [aside] = files('.rejected')
    expect(failures).toEqual([expect.stringMatching(reason)])
    expect(failures[0]).toContain(join(folder, aside!))
    expect(JSON.parse(read(aside!))).toEqual({ reason: expect.stringMatching(reason), line })
    expect(files()).toEqual([])
  })

  it('one that the schema refuses, alone in its file', async () => {
    const { folder, write, files } = spoolFolder()
    write(['{"key": "k1", "call": "remember", "input": {}}'])
    expect(await deliverSpool(await openEngine(), [folder])).toMatchObject({ delivered: 0, rejected: 1 })
    expect([files().length, files('.rejected').length]).toEqual([0, 1])
  })

  it('the half line of a process that was killed while it wrote is no loss', async () => {
    const { folder, write, files } = spoolFolder()
    const engine = await openEngine()
    const path = write([spooled('k1', 'Logs are rotated at noon')])
    writeFileSync(path, '{"key": "k2", "ca', { flag: 'a' })
    expect(await deliverSpool(engine, [folder])).toEqual({ delivered: 1, rejected: 0, failures: [], more: false })
    expect([...files(), ...files('.rejected')]).toEqual([])
  })

  it('one that the store always fails with, once the store has shown that it works', async () => {
    const { folder, write, files } = spoolFolder()
    const broken = failingEngine(await openEngine(), (content) => (content === 'odd' ? new TypeError('a bug') : null))
    write([spooled('k1', 'odd'), spooled('k2', 'Mail goes out at night'), spooled('k3', 'Logs are rotated at noon')])
    expect(await deliverSpool(broken, [folder])).toMatchObject({ delivered: 2, rejected: 1 })
    expect(files('.rejected')).toHaveLength(1)
    // A single failure proves nothing: the store may be read-only.
    write([spooled('k4', 'odd')])
    expect(await deliverSpool(broken, [folder])).toMatchObject({
      rejected: 0,
      failures: [expect.stringMatching(/was not delivered: a bug/)],
    })
    expect(files()).toHaveLength(1)
  })
})

describe('a store that fails', () => {
  it('keeps the rest in order for later, and what it had taken is not asked again', async () => {
    const { folder, write, files } = spoolFolder()
    const engine = await openEngine()
    const asked: string[] = []
    let failing = true
    const broken = failingEngine(engine, (content) => {
      asked.push(content)
      return failing && content === 'Second' ? locked : null
    })
    write(['garbage', spooled('k1', 'First'), spooled('k2', 'Second'), spooled('k3', 'Third')])
    const report = await deliverSpool(broken, [folder])
    expect(report).toMatchObject({ delivered: 1, rejected: 1 })
    expect(report.failures.at(-1)).toMatch(/\.ready\.jsonl was not delivered: The store is locked\.$/)
    expect(files()).toEqual([expect.stringContaining('.ready.')])
    failing = false
    expect(await deliverSpool(broken, [folder])).toEqual({ delivered: 2, rejected: 0, failures: [], more: false })
    expect(asked).toEqual(['First', 'Second', 'Second', 'Third'])
    expect(files()).toEqual([])
  })

  it('and does not mend by itself is asked a few times, not for every file', async () => {
    const { folder, write, files } = spoolFolder()
    let asked = 0
    const readOnly = failingEngine(await openEngine(), () => {
      asked++
      return new MemoryError('PROVIDER_ERROR', 'The store is read-only.', { retryable: false })
    })
    for (let file = 0; file < 10; file++)
      write(Array.from({ length: 9 }, (_, i) => spooled(`k${file}-${i}`, `Fact ${i}`)))
    const { failures } = await deliverSpool(readOnly, [folder])
    expect(failures.length).toBe(3)
    expect(asked).toBeLessThan(10)
    expect(files()).toHaveLength(10)
    expect(files('.rejected')).toEqual([])
  })
})

it('a delivery ends when its time is over, and the next one goes on behind it', async () => {
  const { folder, write, files } = spoolFolder()
  const asked: string[] = []
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const slow = failingEngine(await openEngine(), (content) => {
    asked.push(content)
    if (asked.length === 2) vi.advanceTimersByTime(500)
    return null
  })
  const boxes = [1, 2, 3, 4].map((i) => `Box ${i} is blue`)
  write(boxes.slice(0, 3).map((content) => spooled(content, content)))
  // File names sort by time, in milliseconds.
  await sleep(2)
  write([spooled('last', boxes[3]!)])
  const first = await deliverSpool(slow, [folder], 400)
  expect(first).toMatchObject({ delivered: 2, failures: [], more: true })
  expect(files()).toHaveLength(2)
  expect(await deliverSpool(slow, [folder])).toEqual({ delivered: 2, rejected: 0, failures: [], more: false })
  expect(asked).toEqual(boxes)
})

it('a record whose acknowledgement was lost changes nothing the second time', async () => {
  const { folder, write } = spoolFolder()
  const engine = await openEngine()
  await engine.add({
    content: 'Logs are rotated at noon',
    layer: 'project',
    identifiers: { projectId: 'shop' },
    category: 'behavior',
  })
  const lines = [spooled('k1', 'Logs are rotated at noon'), spooled('k2', 'Mail goes out at night')]
  write(lines)
  await deliverSpool(engine, [folder])
  const stand = async () =>
    (await engine.list({ everything: true })).memories.map(({ id, version, confidence }) => [id, version, confidence])
  const before = await stand()
  expect(before).toHaveLength(2)
  // State after a crash: claimed and delivered, but not removed.
  const taken = write(lines, 'taken-0')
  utimesSync(taken, 0, 0)
  expect(await deliverSpool(engine, [folder])).toMatchObject({ delivered: 2 })
  expect(await stand()).toEqual(before)
})

it('a file of a process that is alive is left alone, one of a process that is silent is not', async () => {
  const { folder, write, files } = spoolFolder()
  const engine = await openEngine()
  write([spooled('k1', 'Logs are rotated at noon')], 'open')
  const abandoned = write([spooled('k2', 'Mail goes out at night')], 'open')
  utimesSync(abandoned, 0, 0)
  await deliverSpool(engine, [folder])
  expect(await contentsOf(engine)).toEqual(['Mail goes out at night'])
  expect(files()).toHaveLength(1)
})

it('a file that is being delivered looks alive to others', async () => {
  const { folder, write, files } = spoolFolder()
  const touched: number[] = []
  const engine = failingEngine(await openEngine(), () => {
    touched.push(statSync(join(folder, files()[0]!)).mtimeMs)
    return null
  })
  utimesSync(write([spooled('k1', 'Mail goes out at night')], 'taken-0'), 0, 0)
  await deliverSpool(engine, [folder])
  expect(touched).toHaveLength(1)
  // Not 1970, as it once was.
  expect(touched[0]).toBeGreaterThan(Date.UTC(2020))
})

it('several that deliver at once while others write lose nothing and deliver nothing twice', async () => {
  const { folder, files } = spoolFolder()
  const engine = await openEngine()
  const spools = Array.from({ length: 12 }, () => new Spool([folder]))
  const delivering = Array.from({ length: 4 }, async () => {
    let delivered = 0
    for (let round = 0; round < 8; round++) delivered += (await deliverSpool(engine, [folder])).delivered
    return delivered
  })
  await Promise.all(
    spools.map(async (spool, i) => {
      await spool.append([spooled(`a${i}`, `Box ${i} is blue`, 'shop', `s${i}`)])
      await spool.append([spooled(`b${i}`, `Shelf ${i} is green`, 'shop', `s${i}`)])
      await spool.release()
    }),
  )
  const counts = await Promise.all(delivering)
  // A delivery stops at its time limit, so a busy machine needs several.
  let delivered = counts.reduce((sum, count) => sum + count, 0)
  for (let round = 0; round < 20 && files().length > 0; round++) {
    delivered += (await deliverSpool(engine, [folder])).delivered
  }
  expect(delivered).toBe(24)
  expect(files()).toEqual([])
})
