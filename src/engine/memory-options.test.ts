import { expect, it } from 'vitest'
import { checkOptions } from './memory-options.ts'

it.each([
  ['storage', ['db', 'database', 'store', 'url', 'path', 'file']],
  ['embedding', ['embedder', 'embeddings', 'model']],
  ['log', ['logger']],
  ['memory', ['settings']],
])('whoever means %s is told so', (meant, names) => {
  for (const name of names) {
    const error = expect.objectContaining({ operation: 'openMemory', details: { field: name, meant } })
    expect(() => checkOptions({ [name]: 'x' } as never)).toThrow(error)
  }
})

it('an option that nobody could mean is answered with those that there are', () => {
  const error = expect.objectContaining({ details: { field: 'colour' }, message: expect.stringContaining('insideRun') })
  expect(() => checkOptions({ storage: 'memory:', colour: 'red' } as never)).toThrow(error)
  expect(() => checkOptions({ storage: 'memory:', insideRun: true })).not.toThrow()
})
