import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { contentsOf, observation, openEngine, temporaryFolder } from '../../test/remote-store.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import type { StoreAnswer } from './protocol.ts'
import { serveStore } from './server.ts'

const identifiers = { projectId: 'shop' }
const remember = (content: string) => ({
  call: 'remember',
  input: { candidate: observation(content), identifiers, session: 's1' },
})

/** A server with an open connection. `engine` outlives the server, so that a test can inspect the store. */
async function startServer(open?: (engine: Nokosu) => Promise<Nokosu>) {
  const engine = await openEngine()
  const kept: Nokosu = { ...engine, shutdown: async () => {} }
  const input = new PassThrough()
  const output = new PassThrough()
  const ended = serveStore({
    input,
    output,
    open: () => (open ?? Promise.resolve.bind(Promise))(kept) as Promise<Nokosu>,
    spoolFolders: [temporaryFolder()],
  })
  const answers = async (): Promise<StoreAnswer[]> => {
    input.end()
    await ended
    const text = String(output.read() ?? '')
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
  const ask = (request: object) => input.write(`${JSON.stringify(request)}\n`)
  return { engine, input, output, ended, ask, answers }
}

it('answers each request under its id, in order, and ends when everything that was asked is done', async () => {
  const { engine, ask, answers } = await startServer()
  ask({ id: 7, ...remember('Prices are in cents') })
  ask({ id: 8, call: 'context', input: { format: 'operational', identifiers } })
  ask({ id: 9, call: 'profile', input: { agent: 'nori' } })
  expect(await answers()).toMatchObject([
    { id: 7, value: [{ kind: 'insert', content: 'Prices are in cents', memory: expect.any(String) }] },
    {
      id: 8,
      value: { text: expect.stringContaining('Prices are in cents'), entries: [{ position: 0 }], available: 1 },
    },
    { id: 9, value: { displayName: 'Nori', updatedAt: null } },
  ])
  expect(await contentsOf(engine)).toEqual(['Prices are in cents'])
})

it('refuses what it does not know or cannot read, and goes on', async () => {
  const { ask, input, answers } = await startServer()
  ask({ id: 1, call: 'sweep', input: {} })
  ask({ id: 2, call: 'toString', input: {} })
  ask({ id: 3, call: 'context', input: { format: 'operational' } })
  ask({ id: 4, call: 'context', input: { format: 'operational', identifiers: {} } })
  ask({ id: 5, call: 'remember', input: { candidate: observation('x'), identifiers, everything: true } })
  input.write('not json\n[1]\nnull\n{"call": "profile"}\n')
  ask({ id: 6, call: 'profile', input: { agent: 'nobody' } })
  const answers_ = await answers()
  expect(answers_.slice(0, -1).map((answer) => 'error' in answer && [answer.id, answer.error.code])).toEqual([
    [1, 'INVALID_INPUT'],
    [2, 'INVALID_INPUT'],
    [3, 'INVALID_INPUT'],
    [4, 'MISSING_IDENTIFIER'],
    [5, 'INVALID_INPUT'],
  ])
  expect(answers_.at(-1)).toEqual({ id: 6, value: null })
})

it('a key makes a request repeatable', async () => {
  const { engine, ask, answers } = await startServer()
  for (const id of [1, 2]) ask({ id, key: 'k1', ...remember('Prices are in cents') })
  ask({ id: 3, key: 'k1', ...remember('Something else under the same key') })
  await answers()
  expect(await contentsOf(engine)).toEqual(['Prices are in cents'])
})

it('the line separators of Unicode are text', async () => {
  const { ask, answers } = await startServer()
  ask({ id: 1, call: 'profile', input: { agent: 'a\u2028b\u2029c' } })
  expect(await answers()).toEqual([{ id: 1, error: expect.objectContaining({ code: 'INVALID_INPUT' }) }])
})

it('opens the store with the first request, and again after a failure', async () => {
  let opened = 0
  const { ask, answers } = await startServer(async (engine) => {
    opened++
    if (opened === 1) throw new MemoryError('PROVIDER_ERROR', 'The file is locked.')
    return engine
  })
  expect(opened).toBe(0)
  for (const id of [1, 2, 3]) ask({ id, call: 'profile', input: { agent: 'nobody' } })
  expect(await answers()).toEqual([
    { id: 1, error: { code: 'PROVIDER_ERROR', message: 'The file is locked.', details: {}, retryable: true } },
    { id: 2, value: null },
    { id: 3, value: null },
  ])
  expect(opened).toBe(2)
})

it('what was asked is done, even when the one who asked is gone', async () => {
  const { engine, ask, input, output, ended } = await startServer()
  ask({ id: 1, ...remember('Prices are in cents') })
  ask({ id: 2, ...remember('Mail goes out at night') })
  output.destroy(new Error('EPIPE'))
  input.end()
  await ended
  expect(await contentsOf(engine)).toEqual(['Mail goes out at night', 'Prices are in cents'])
})

it('related memories leave out what is shown, and are not searched where everything is', async () => {
  let searches = 0
  const { engine, ask, answers } = await startServer(async (own) => ({
    ...own,
    search: (request) => {
      searches++
      return own.search(request)
    },
  }))
  const add = (content: string) => engine.add({ content, layer: 'project', identifiers, category: 'decision' })
  const { memory: first } = await add('The login redirect keeps the query string')
  const { memory: second } = await add('The login redirect needs a cookie')
  const related = { call: 'related', input: { identifiers, query: 'login redirect', budget: 500 } }
  const shown = (...ids: string[]) => ({ ...related, input: { ...related.input, shown: ids } })
  ask({ id: 1, ...shown(first.id) })
  ask({ id: 2, ...shown(first.id, second.id) })
  const [some, none] = await answers()
  expect(some).toMatchObject({
    value: { text: expect.stringContaining('needs a cookie'), entries: [{ memory: second.id }] },
  })
  expect(none).toEqual({ id: 2, value: { text: '', entries: [], omitted: [], available: 0 } })
  expect(searches).toBe(1)
})
