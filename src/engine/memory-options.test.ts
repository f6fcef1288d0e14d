import { expect, it } from 'vitest'
import { checkOptions } from './memory-options.ts'

it.each([
  ['storage', ['db', 'database', 'store', 'url', 'path', 'file']],
  ['embedding', ['embedder', 'embeddings', 'model']],
  ['log', ['logger']],
  ['memory', ['settings']],
])('another name for %s is answered with that one', (meant, names) => {
  for (const name of names) {
    const error = expect.objectContaining({ operation: 'openMemory', details: { field: name, meant } })
    expect(() => checkOptions({ [name]: 'x' } as never)).toThrow(error)
  }
})

it('an option that resembles none is answered with those that there are', () => {
  const error = expect.objectContaining({ details: { field: 'colour' }, message: expect.stringContaining('insideRun') })
  expect(() => checkOptions({ storage: 'memory:', colour: 'red' } as never)).toThrow(error)
  expect(() => checkOptions({ storage: 'memory:', insideRun: true })).not.toThrow()
})

const KINDS = ['local', 'http', 'hashing']
const closing = { close: async () => {} }

it.each<[name: string, good: unknown[], bad: unknown[]]>([
  ['storage', ['memory:'], [7, null, []]],
  ['token', ['nks_x'], [7]],
  ['embedding', KINDS.map((kind) => ({ kind })), ['hashing', null, [], {}, { kind: 'magic' }]],
  ['embedding', [{ embed() {} }, { doEmbed() {} }], []],
  ['relations', [null, closing], [{}, 'none', [closing]]],
  ['poisons', [null, closing], [{}, 'none']],
  ['directory', [[]], [{}, 'a']],
  ['retry', [{}, { retries: 0 }, { retries: undefined }], [{ retries: -1 }, { retries: '2' }, { times: 2 }, 3, []]],
  [
    'memory',
    [{ maxKeep: 5 }, { enabled: false }],
    [{ maxKeep: true }, { enabled: 1 }, { maxKeep: Number.NaN }, { keep: 5 }],
  ],
  ['budget', [1], [0, -1, '9']],
  ['actor', ['deploy-bot'], ['', 7]],
  ['insideRun', [true, false], ['yes']],
  ['now', [() => new Date()], [new Date()]],
  ['log', [{ warn: () => {} }], [{}, console.log, null]],
])('%s takes what it can use, and says what it needs', (name, good, bad) => {
  for (const value of [...good, undefined]) expect(() => checkOptions({ [name]: value })).not.toThrow()
  for (const value of bad) {
    const error = expect.objectContaining({ code: 'INVALID_INPUT', details: expect.objectContaining({ field: name }) })
    expect(() => checkOptions({ [name]: value } as never), JSON.stringify(value)).toThrow(error)
  }
})

it('the options are an object', () => {
  for (const value of [null, 'memory:', []]) expect(() => checkOptions(value as never)).toThrow('takes an object')
})
