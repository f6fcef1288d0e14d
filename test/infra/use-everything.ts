import { Readable } from 'node:stream'
import type { Nokosu } from '../../src/engine/nokosu.ts'

const identifiers = { projectId: 'shop', agentId: 'nori' }

/** Makes the engine send every kind of request to its store. */
export async function useEverything(memory: Nokosu): Promise<void> {
  const own = memory.as(identifiers)
  const operator = memory.operator('test')
  const { memory: kept } = await own.add({
    exact: true,
    content: 'The staging database is wiped every night',
    layer: 'project',
  })
  const { memory: gone } = await own.add({ exact: true, content: 'Deploys happen on Tuesdays', layer: 'agent' })
  await own.update(kept.id, { content: 'The staging database is wiped at 2 am' })
  await own.list({})
  await own.search({ query: 'when is staging wiped' })
  await operator.list({})
  // A memory that is not found by id may be another program's item, which the index finds.
  await own.delete('01ARZ3NDEKTSV4RRFFQ69G5FAV')
  await operator.findIds(kept.id.slice(-6), { deleted: true })

  await own.beginSession({ id: 'run-1', agent: 'nori', project: 'shop' })
  await own.recordShowing({ session: 'run-1', format: 'query', entries: [{ memory: gone.id, position: 0, tokens: 9 }] })
  await own.injections({ session: 'run-1' })
  await own.injections({ memory: gone.id })
  await own.record({ type: 'hint', projectId: 'shop', summary: 'Ask before you drop a table' }, { session: 'run-1' })
  await own.sessions({})
  await own.events({})
  await memory.as({ sessionId: 'run-1' }).events({})

  await memory.directory.set({ projectId: 'shop', teamId: 'web' })
  await memory.directory.list()
  await memory.directory.remove('project', 'shop')
  await operator.personality.set({ agentName: 'nori', displayName: 'Nori', persona: 'You test.' })
  await operator.personality.list()
  await operator.personality.delete('nori')

  await own.delete(gone.id)
  await own.history(gone.id)
  const lines: string[] = []
  for await (const line of operator.export({})) lines.push(line)
  // A single change, because several are fetched together.
  const change = lines.filter((line) => line.includes(gone.id) && line.includes('"delete"')).slice(0, 1)
  await memory.import(Readable.from([...lines.slice(0, 1), ...change]))
  await memory.stats()
  await memory.purge({ before: new Date(Date.now() + 60_000) })
}
