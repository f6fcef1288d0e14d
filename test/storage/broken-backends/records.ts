import type { Session } from '../../../src/model/records.ts'
import { keyOf } from '../../../src/storage/decide.ts'
import { idsAsked } from '../../../src/storage/record-query.ts'
import { type BrokenBackend, broken, brokenCommit, brokenWrites, spoiledAfter } from './broken-backend.ts'

/** Sessions that are merged incorrectly. */
function merged(title: string, merge: (known: Session, said: Session) => Session): BrokenBackend {
  return brokenCommit(title, async (right, commit, data) => {
    const known = new Map(data.sessions)
    const result = await right(commit)
    if (!result.applied || result.repeated) return result
    for (const write of commit.writes) {
      const before = write.kind === 'session' && known.get(write.session.id)
      if (before) data.sessions.set(before.id, merge(before, write.session))
    }
    return result
  })
}

function fill(known: Session, said: Session): Session {
  return {
    ...known,
    agent: known.agent ?? said.agent,
    project: known.project ?? said.project,
    tier: known.tier ?? said.tier,
    role: known.role ?? said.role,
  }
}

const earliest = (a: Session, b: Session) => (a.startedAt < b.startedAt ? a : b).startedAt

const SESSIONS: BrokenBackend[] = [
  merged('the end of a session is overwritten', (known, said) => ({
    ...fill(known, said),
    startedAt: earliest(known, said),
    endedAt: said.endedAt ?? known.endedAt,
    exitCode: said.exitCode ?? known.exitCode,
    outcome: said.outcome ?? known.outcome,
  })),
  merged('the end of a session is filled up by a later one', (known, said) => ({
    ...fill(known, said),
    startedAt: earliest(known, said),
    endedAt: known.endedAt ?? said.endedAt,
    exitCode: known.exitCode ?? said.exitCode,
    outcome: known.outcome ?? said.outcome,
  })),
  merged('the end of a session is lost when it began before', (known, said) => ({
    ...fill(known, said),
    startedAt: earliest(known, said),
  })),
  merged('what is known of a session is overwritten', (_, said) => said),
  merged('what is unknown of a session is never filled in', (known, said) => ({
    ...(known.endedAt === null
      ? { ...known, endedAt: said.endedAt, exitCode: said.exitCode, outcome: said.outcome }
      : known),
    startedAt: earliest(known, said),
  })),
  merged('a session starts when it was last spoken of', (known, said) => ({
    ...fill(known, said),
    endedAt: known.endedAt ?? said.endedAt,
    exitCode: known.endedAt === null ? said.exitCode : known.exitCode,
    outcome: known.endedAt === null ? said.outcome : known.outcome,
    startedAt: said.startedAt,
  })),
  broken('sessions of all projects are found', (right) => ({
    sessions: (query) =>
      right.sessions({ ...query, any: query.any?.some((each) => !('id' in each)) ? null : query.any }),
  })),
  broken('sessions of an agent are found in every project', (right) => ({
    async sessions(query) {
      const agents = query.any?.flatMap((each) => ('agent' in each ? [each.agent] : [])) ?? []
      const { items } = await right.sessions({ any: null, after: null, limit: 100_000 })
      const ids = items.filter(({ agent }) => agent !== null && agents.includes(agent)).map(({ id }) => ({ id }))
      return right.sessions({ ...query, any: query.any && [...query.any, ...ids] })
    },
  })),
]

const SHOWINGS: BrokenBackend[] = [
  brokenWrites('showings do not count as recalls', (write) =>
    write.kind === 'injection' ? { ...write, recall: false } : write,
  ),
  brokenWrites('every showing counts as a recall', (write) =>
    write.kind === 'injection' ? { ...write, recall: true } : write,
  ),
  spoiledAfter('a recall is counted twice', (data, { writes }) => {
    for (const write of writes) {
      const row = write.kind === 'injection' && write.recall && data.memories.get(write.injection.memory)
      if (row) row.memory = { ...row.memory, recallCount: row.memory.recallCount + 1 }
    }
  }),
  brokenWrites('a showing that is there already counts again', (write, data) => {
    if (write.kind === 'injection') data.injections.delete(write.injection.id)
    return write
  }),
  spoiledAfter('the time of the last recall is that of the commit', (data, { writes, at }) => {
    for (const write of writes) {
      const row = write.kind === 'injection' && write.recall && data.memories.get(write.injection.memory)
      if (row) row.memory = { ...row.memory, lastRecalledAt: at }
    }
  }),
  brokenCommit('an older showing moves the time of the last recall back', async (right, commit, data) => {
    const known = new Set(data.injections.keys())
    const result = await right(commit)
    for (const write of result.applied ? commit.writes : []) {
      if (write.kind !== 'injection' || !write.recall || known.has(write.injection.id)) continue
      const row = data.memories.get(write.injection.memory)
      if (row) row.memory = { ...row.memory, lastRecalledAt: write.injection.at }
    }
    return result
  }),
  spoiledAfter('an update overwrites the recall counters', (data, { writes }) => {
    for (const write of writes) {
      if (write.kind !== 'update') continue
      const { id, recallCount, lastRecalledAt } = write.row.memory
      const row = data.memories.get(id)!
      row.memory = { ...row.memory, recallCount, lastRecalledAt }
    }
  }),
  spoiledAfter('a recall is a new version', (data, { writes }) => {
    for (const write of writes) {
      const row = write.kind === 'injection' && write.recall && data.memories.get(write.injection.memory)
      if (row) row.memory = { ...row.memory, version: row.memory.version + 1 }
    }
  }),
  broken('showings are those of all sessions', (right) => ({
    injections: (query) => right.injections({ ...query, session: null }),
  })),
  broken('of several sessions only the showings of the first are listed', (right) => ({
    injections: (query) => right.injections({ ...query, session: idsAsked(query.session)?.slice(0, 1) ?? null }),
  })),
  broken('showings are those of all memories', (right) => ({
    injections: (query) => right.injections({ ...query, memory: null }),
  })),
  brokenWrites('showings of unknown memories are not kept', (write, data) =>
    write.kind === 'injection' && !data.memories.has(write.injection.memory) ? undefined : write,
  ),
]

const EVENTS: BrokenBackend[] = [
  brokenWrites('an event that is there already is replaced', (write, data) => {
    if (write.kind === 'event') data.events.delete(write.event.id)
    return write
  }),
  broken('events are those of all projects', (right) => ({
    events: (query) => right.events({ ...query, any: query.any?.length === 0 ? [] : null }),
  })),
  broken('events of a session are not found', (right) => ({
    events: (query) => right.events({ ...query, any: query.any?.filter((each) => 'project' in each) ?? null }),
  })),
]

const DOCUMENTS: BrokenBackend[] = [
  broken('documents ignores the keys', (right) => ({ documents: (collection) => right.documents(collection) })),
  broken('documents come in any order', (right) => ({
    documents: async (collection, keys) => (await right.documents(collection, keys)).reverse(),
  })),
  broken('documents by no keys are all of them', (right) => ({
    documents: (collection, keys) => right.documents(collection, keys?.length === 0 ? undefined : keys),
  })),
  brokenWrites('documents are not removed', (write) => (write.kind === 'remove' ? undefined : write)),
  brokenWrites('a removed document goes from all collections', (write, data) => {
    if (write.kind === 'remove') {
      for (const [key, each] of data.documents)
        if (each.key.endsWith(write.key) && each.collection !== write.collection) data.documents.delete(key)
    }
    return write
  }),
  brokenWrites('a document is not replaced', (write, data) => {
    if (write.kind !== 'put' || write.collection !== 'personality') return write
    return data.documents.has(keyOf('personality', write.document.agentName)) ? undefined : write
  }),
]

export const RECORDS: BrokenBackend[] = [...SESSIONS, ...SHOWINGS, ...EVENTS, ...DOCUMENTS]
