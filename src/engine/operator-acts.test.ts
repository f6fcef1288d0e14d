import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { referenceData } from '../storage/reference/data.ts'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

const SHOP = { projectId: 'shop' }

async function* lines(all: readonly string[]) {
  yield* all
}

it('what is an operator’s is refused inside a run, and changes nothing', async () => {
  const shared = referenceData()
  const open = async (insideRun: boolean, data = shared) => {
    const storage = referenceStorage({ shared: data })
    const memory = await openMemory({ storage, embedding: hashingEmbedding(), relations: null, insideRun })
    onTestFinished(() => memory.shutdown())
    return memory
  }
  const memory = await open(false)
  const [one, two] = [
    await memory.as(SHOP).add('Prices are in cents'),
    await memory.as(SHOP).add('Mail leaves at noon'),
  ]
  const ids: [string, string] = [one.memory.id, two.memory.id]
  await memory.personality.set({
    agentName: 'nori',
    displayName: 'Nori',
    persona: 'Careful',
    traits: [],
    communicationStyle: 'Plain',
  })
  await memory.directory.set({ ...SHOP, teamId: 'web' })
  const all = await Array.fromAsync(memory.export({ everything: true }))
  const of = (type: string) => all.filter((line) => line.includes(`"type":"${type}"`))
  const [header] = all
  const run = await open(true)
  const everything = { everything: true } as const
  const acts: Record<string, () => Promise<unknown>> = {
    sweep: () => run.sweep(),
    purge: () => run.purge(),
    reembed: () => run.reembed(),
    audit: () => run.audit(),
    'directory.set': () => run.directory.set({ ...SHOP, teamId: 'yard' }),
    'directory.remove': () => run.directory.remove('project', 'shop'),
    'personality.set': () =>
      run.personality.set({ agentName: 'nori', displayName: 'N', persona: 'x', traits: [], communicationStyle: 'x' }),
    'personality.delete': () => run.personality.delete('nori'),
    'tokens.create': () => run.tokens.create({ name: 'x', scope: 'read', identifiers: SHOP }),
    'tokens.list': () => run.tokens.list(),
    'tokens.revoke': () => run.tokens.revoke('0123456789abcdef'),
    'import that is believed': () => run.import(lines(all), { keepTrust: true }),
    review: () => run.review(ids[0], 'accept', everything),
    undo: () => run.undo(ids[0], everything),
    settle: () => run.settle(ids, 'same', everything),
    retract: () => run.retract(ids[0], { why: 'x', ...everything }),
  }
  const allowed: string[] = []
  for (const [name, act] of Object.entries(acts)) {
    const said = await act().then(JSON.stringify, (error) => error.code)
    if (said !== 'UNAUTHORIZED') allowed.push(`${name}: ${said}`)
  }
  expect(allowed).toEqual([])
  for (const [type, name] of Object.entries({ personality: 'personalities', directory: 'directory' } as const)) {
    const file = [header!, ...of(type)]
    expect(file).toHaveLength(2)
    const fresh = (insideRun: boolean) => open(insideRun, referenceData())
    expect((await (await fresh(true)).import(lines(file))).added[name]).toBe(0)
    expect((await (await fresh(false)).import(lines(file))).added[name]).toBe(1)
  }
  expect((await Array.fromAsync(memory.export({ everything: true }))).slice(1)).toEqual(all.slice(1))
})
