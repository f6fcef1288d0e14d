import { expect } from 'vitest'
import type { Nokosu } from '../../../src/engine/nokosu.ts'
import { type Identifiers, LAYERS, type Layer, REQUIRED_IDENTIFIER } from '../../../src/model/layer.ts'
import type { NewMemory } from '../../../src/model/schema.ts'
import { group } from '../../../src/testing/conformance/group.ts'
import { ALL, clock, identifiersFor, sample } from '../../../src/testing/conformance/samples.ts'

/**
 * No memory leaves its scope. Every check uses every read path: search in three modes, list, and get with the reader's identifiers;
 * narrowed and not; with inactive memories and without.
 */
export const isolationCases = group('engine: isolation', (it) => {
  it('every pair of scopes over the nine layers: a reader of one sees nothing of the other', async (store) => {
    const engine = await store.engine()
    const names = ['a', 'b']
    const inputs = names.flatMap((name) =>
      LAYERS.map((layer) => memoryOf(`${layer} of ${name}`, layer, identifiersFor(name, [layer]))),
    )
    const { memories } = await engine.bulkAdd(inputs)
    for (const name of names) {
      for (const layer of LAYERS) {
        const reader = identifiersFor(name, [layer])
        expect(
          await visible(
            engine,
            reader,
            memories.map((memory) => memory.id),
          ),
          `${layer} ${name}`,
        ).toEqual([`${layer} of ${name}`])
      }
    }
  })

  it('the same value in two identifiers opens only the layer it was given for', async (store) => {
    const engine = await store.engine()
    const inputs = LAYERS.map((layer) => memoryOf(`${layer} x`, layer, { [REQUIRED_IDENTIFIER[layer]]: 'x' }))
    const { memories } = await engine.bulkAdd(inputs)
    const ids = memories.map((memory) => memory.id)
    for (const layer of LAYERS) {
      expect(await visible(engine, { [REQUIRED_IDENTIFIER[layer]]: 'x' }, ids), layer).toEqual([`${layer} x`])
    }
  })

  it('identifiers are compared exactly', async (store) => {
    const engine = await store.engine()
    const { memory } = await engine.add(memoryOf('exact', 'project', { projectId: 'Shop' }))
    for (const projectId of ['shop', 'SHOP', 'Shop ', 'Sho', 'Shop2', '%', '_hop', '*', 'Shop#x']) {
      expect(await visible(engine, { projectId }, [memory.id]), projectId).toEqual([])
    }
    expect(await visible(engine, { projectId: 'Shop' }, [memory.id])).toEqual(['exact'])
  })

  it('odd identifiers do not run together', async (store) => {
    const engine = await store.engine()
    const identifiers: Identifiers[] = [
      { agentId: 'a#b', projectId: 'c' },
      { agentId: 'a', projectId: 'b#c' },
      { agentId: '@user#a' },
      { agentId: 'a"b', projectId: "c'd" },
      { agentId: 'エージェント', projectId: '👩‍🚀' },
    ]
    const { memories } = await engine.bulkAdd(identifiers.map((each, i) => memoryOf(`odd ${i}`, 'agent', each)))
    const ids = memories.map((memory) => memory.id)
    for (const [i, reader] of identifiers.entries()) expect(await visible(engine, reader, ids)).toEqual([`odd ${i}`])
  })

  it("an agent's memories of project A are never seen in project B, nor without a project", async (store) => {
    const engine = await store.engine()
    const { memories } = await engine.bulkAdd([
      memoryOf('miso in A', 'agent', { agentId: 'miso', projectId: 'A' }),
      memoryOf('miso in B', 'agent', { agentId: 'miso', projectId: 'B' }),
      memoryOf('miso anywhere', 'agent', { agentId: 'miso' }),
      memoryOf('nori in A', 'agent', { agentId: 'nori', projectId: 'A' }),
    ])
    const ids = memories.map((memory) => memory.id)
    expect(await visible(engine, { agentId: 'miso', projectId: 'A' }, ids)).toEqual(['miso anywhere', 'miso in A'])
    expect(await visible(engine, { agentId: 'miso', projectId: 'B' }, ids)).toEqual(['miso anywhere', 'miso in B'])
    expect(await visible(engine, { agentId: 'miso', projectId: 'C' }, ids)).toEqual(['miso anywhere'])
    expect(await visible(engine, { agentId: 'miso' }, ids)).toEqual(['miso anywhere'])
    expect(await visible(engine, { projectId: 'A' }, ids)).toEqual([])
  })

  it('tasks and sections of two projects with the same id stay apart', async (store) => {
    const engine = await store.engine()
    const inputs = (['task', 'section'] as const).flatMap((layer) =>
      ['A', 'B'].map((projectId) =>
        memoryOf(`${layer} in ${projectId}`, layer, { [REQUIRED_IDENTIFIER[layer]]: '1', projectId }),
      ),
    )
    const { memories } = await engine.bulkAdd(inputs)
    const ids = memories.map((memory) => memory.id)
    for (const projectId of ['A', 'B']) {
      const seen = await visible(engine, { taskId: '1', sectionId: '1', projectId }, ids)
      expect(seen).toEqual([`section in ${projectId}`, `task in ${projectId}`])
    }
    expect(await visible(engine, { taskId: '1' }, ids)).toEqual(['task in A', 'task in B'])
    expect(await visible(engine, { taskId: '2', projectId: 'A' }, ids)).toEqual([])
  })

  it('an unknown team, org or company is searched as empty, never as all of them', async (store) => {
    const engine = await store.engine()
    const inputs = (['team', 'org', 'company'] as const).map((layer) =>
      memoryOf(`${layer} a`, layer, identifiersFor('a', [layer])),
    )
    const { memories } = await engine.bulkAdd(inputs)
    await engine.directory.set({ projectId: 'known', teamId: 'team-a' })
    const ids = memories.map((memory) => memory.id)
    expect(await visible(engine, { projectId: 'stray' }, ids)).toEqual([])
    expect(await visible(engine, { projectId: 'known' }, ids)).toEqual(['team a'])
    expect(await visible(engine, { orgId: 'org-b' }, ids)).toEqual([])
  })

  it('another project’s writes change no score', async (store) => {
    const engine = await store.engine()
    const identifiers = { projectId: 'shop' }
    await engine.add(memoryOf('disk alert ночью', 'project', identifiers))
    await engine.add(memoryOf('disk check', 'project', identifiers))
    const search = async () => {
      const { results } = await engine.search({ identifiers, query: 'disk alert ночью', threshold: 0, explain: true })
      return results.map(({ score, explanation }) => ({ score, terms: explanation!.terms }))
    }
    const before = await search()
    await engine.bulkAdd(
      Array.from({ length: 30 }, (_, i) => memoryOf(`alert ночью ${i}`, 'project', { projectId: 'lab' })),
    )
    expect(await search()).toEqual(before)
  })

  it('no filter, tag, service or category opens another scope', async (store) => {
    const engine = await store.engine()
    const labels = { tags: ['t'], service: 's', category: 'timing' as const, metadata: { projectId: 'shop', k: 1 } }
    await engine.add({ ...memoryOf('of the lab', 'project', { projectId: 'lab' }), ...labels })
    const reader = { identifiers: { projectId: 'shop' } }
    for (const narrow of [
      { tags: ['t'] },
      { service: 's' },
      { category: 'timing' as const },
      { filter: { k: 1 } },
      { filter: { projectId: 'shop' } },
      { filter: { k: { gte: 0 } }, tags: ['t'], includeInactive: true },
    ]) {
      expect((await engine.list({ ...reader, ...narrow })).totalCount).toBe(0)
      for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
        const found = await engine.search({ ...reader, ...narrow, mode, query: 'Quokka of the lab', threshold: 0 })
        expect(found).toMatchObject({ results: [], totalCount: 0 })
      }
    }
  })

  it('a cursor of one reader shows another reader nothing foreign', async (store) => {
    const engine = await store.engine()
    for (let i = 0; i < 4; i++) await engine.add(memoryOf(`lab ${i}`, 'project', { projectId: 'lab' }))
    const { nextCursor } = await engine.list({ identifiers: { projectId: 'lab' }, limit: 2 })
    const page = await engine.list({ identifiers: { projectId: 'shop' }, cursor: nextCursor! })
    expect(page).toMatchObject({ memories: [], totalCount: 0 })
  })

  it('inactive and expired memories are on no read path, at once', async (store) => {
    const time = clock()
    const engine = await store.engine({ now: time.now })
    const other = await store.engine({ now: time.now })
    const reader = { projectId: 'shop' }
    const { memories } = await engine.bulkAdd([
      memoryOf('stays', 'project', reader),
      memoryOf('fades', 'project', reader),
      { ...memoryOf('expires', 'project', reader), expiresAt: '2026-03-01T00:00:01.000Z' },
      { ...memoryOf('weak', 'project', reader), confidence: 0.2 },
    ])
    for (const handle of [engine, other]) expect(await listed(handle, reader)).toEqual(['expires', 'fades', 'stays'])
    await engine.update(memories[1]!.id, { confidence: 0.29 }, ALL)
    time.advance(999)
    for (const handle of [engine, other]) expect(await listed(handle, reader)).toEqual(['expires', 'stays'])
    time.advance(1)
    for (const handle of [engine, other]) {
      expect(await listed(handle, reader)).toEqual(['stays'])
      expect(await searched(handle, reader)).toEqual(['stays'])
    }
    expect(await searched(engine, reader, true)).toEqual(['expires', 'fades', 'stays', 'weak'])
    await engine.update(memories[1]!.id, { confidence: 0.3 }, ALL)
    for (const handle of [engine, other]) expect(await searched(handle, reader)).toEqual(['fades', 'stays'])
  })
})

/** The anchor is the label. The text is unique, so that no two collapse as duplicates. */
function memoryOf(label: string, layer: Layer, identifiers: Identifiers): NewMemory {
  return sample({ content: `Quokka ${label}`, anchor: label, layer, identifiers })
}

/** The labels visible to a reader; all read paths must agree. */
async function visible(engine: Nokosu, reader: Identifiers, ids: readonly string[]): Promise<string[]> {
  const labels = await listed(engine, reader)
  expect(await searched(engine, reader)).toEqual(labels)
  const got = await Promise.all(ids.map((id) => engine.get(id, { identifiers: reader })))
  expect(got.flatMap((memory) => memory?.anchor ?? []).sort()).toEqual(labels)
  return labels
}

async function listed(engine: Nokosu, reader: Identifiers): Promise<string[]> {
  const { memories, totalCount } = await engine.list({ identifiers: reader, limit: 100 })
  expect(totalCount).toBe(memories.length)
  return memories.map((memory) => memory.anchor!).sort()
}

async function searched(engine: Nokosu, reader: Identifiers, includeInactive = false): Promise<string[]> {
  const request = { query: 'Quokka', identifiers: reader, threshold: 0, limit: 100, includeInactive }
  const byMode: string[][] = []
  for (const mode of ['hybrid', 'semantic', 'keyword'] as const) {
    const { results } = await engine.search({ ...request, mode, explain: true })
    byMode.push(
      results
        .flatMap(({ memory, explanation }) => {
          expect(explanation!.collapsed).toEqual([])
          return memory.anchor!
        })
        .sort(),
    )
  }
  expect(byMode[1]).toEqual(byMode[0])
  expect(byMode[2]).toEqual(byMode[0])
  return byMode[0]!
}
