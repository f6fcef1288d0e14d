import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import { openMemory } from './open-memory.ts'

it('every call that is refused for what it was given names itself', async () => {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  onTestFinished(() => memory.shutdown())
  const bad = { nonsense: true } as never
  const calls: Record<string, () => unknown> = {
    add: () => memory.add(bad),
    bulkAdd: () => memory.bulkAdd([bad]),
    context: () => memory.context(bad),
    beginSession: () => memory.beginSession(bad),
    endSession: () => memory.endSession('s', bad),
    session: () => memory.session('', bad),
    recordShowing: () => memory.recordShowing(bad),
    recall: () => memory.recall(bad),
    review: () => memory.review('', 'accept', bad),
    sweep: () => memory.sweep(bad),
    purge: () => memory.purge(bad),
    capture: () => memory.capture(bad, bad),
    record: () => memory.record(bad, {}),
    prune: () => memory.prune(bad),
    restore: () => memory.restore('', bad),
    deleted: () => memory.deleted(bad),
    search: () => memory.search(bad),
    list: () => memory.list(bad),
    get: () => memory.get('', bad),
    update: () => memory.update('', bad, bad),
    delete: () => memory.delete('', bad),
    bulkDelete: () => memory.bulkDelete([], bad),
    findIds: () => memory.findIds('', bad),
    history: () => memory.history('', bad),
    sessions: () => memory.sessions(bad),
    injections: () => memory.injections(bad),
    events: () => memory.events(bad),
    export: () => Array.fromAsync(memory.export(bad)),
    tally: () => memory.tally(bad),
    standings: () => memory.standings(bad),
    asOf: () => memory.asOf(bad),
    fleet: () => memory.fleet(bad),
    remember: () => memory.remember([], bad),
    as: () => memory.as(bad),
    openMemory: () => openMemory(bad),
    operator: () => memory.operator('ann', bad),
    import: () => memory.import(bad),
    'tokens.create': () => memory.tokens.create(bad),
    'tokens.revoke': () => memory.tokens.revoke(''),
    'directory.remove': () => memory.directory.remove(bad, ''),
    'personality.get': () => memory.personality.get(''),
    'personality.profile': () => memory.personality.profile(''),
    'personality.set': () => memory.personality.set(bad),
    'personality.delete': () => memory.personality.delete(''),
  }
  const query = () => memory.context({ format: 'query' } as never)
  for (const [operation, call] of [...Object.entries(calls), ['context', query] as const]) {
    const error = await (async () => call())().then(
      () => `${operation} was not refused`,
      (error) => error,
    )
    expect(error, operation).toMatchObject({ code: 'INVALID_INPUT', operation })
  }
})
