import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../embedding/hashing.ts'
import { openMemory } from '../open-memory.ts'
import { OWN_OPERATIONS, type RemoteOperation } from './operations.ts'

type Call = (...values: unknown[]) => Promise<unknown>

/** The arguments before the tested one, if they are not one string. */
const BEFORE: Record<string, unknown[]> = {
  bulkAdd: [['x']],
  bulkDelete: [['x']],
  usefulness: [['x']],
  update: ['x', {}],
  review: ['x', 'accept'],
  settle: [['x', 'y'], 'same'],
  record: [{ type: 'hint', projectId: 'shop', summary: 'x' }],
}

/** Further arguments that the tested one requires. */
const NEEDED: Record<string, object> = {
  'add 0': { content: 'x' },
  'search 0': { query: 'x' },
  'capture 1': { format: 'text' },
  'recall 0': { moment: { kind: 'prompt', text: 'x' } },
  'asOf 0': { points: [] },
  'tally 0': { since: '2026-01-01' },
  'retract 1': { why: 'wrong' },
  'injections 0': { session: 's' },
  'beginSession 0': { id: 's' },
  'recordShowing 0': { session: 's', format: 'x', entries: [{ memory: 'm', position: 0, tokens: 1 }] },
}

it('the engine takes the claim and the key of a call in the places that the table gives to clients', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  onTestFinished(() => memory.shutdown())
  const calls = memory as unknown as Record<string, Call>
  const asked = async (name: string, at: number, value: object): Promise<unknown> => {
    const before = (BEFORE[name] ?? ['x']).slice(0, at)
    expect(before, name).toHaveLength(at)
    return calls[name]!(...before, { ...NEEDED[`${name} ${at}`], ...value }).catch((error) => error)
  }
  const wrong: string[] = []
  for (const [name, { claim = [], key }] of Object.entries<RemoteOperation>(OWN_OPERATIONS)) {
    if (name.includes('.') || name === 'export') continue
    for (let at = 0; at <= (BEFORE[name] ?? ['x']).length; at++) {
      const said = String(await asked(name, at, { identifiers: { nonsense: 'x' } }))
      if (said.includes('nonsense') !== claim.includes(at)) wrong.push(`claim of ${name}, ${at}: ${said}`)
    }
    if (key === undefined) continue
    const said = String(await asked(name, key, { key: 5 }))
    if (!said.includes('Invalid key')) wrong.push(`key of ${name}: ${said}`)
  }
  expect(wrong).toEqual([])
})
