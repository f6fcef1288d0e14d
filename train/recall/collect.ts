import { momentsOf, type Project, type ProjectSession } from '../../eval/moments/read-project.ts'
import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { gather } from '../../src/recall/moment/gather.ts'
import { readScene } from '../../src/recall/moment/scene.ts'
import { startTrace } from '../../src/recall/moment/trace.ts'
import { openStorage } from '../../src/storage/open-storage.ts'

/** A candidate at a moment, as recall sees it. */
export interface Candidate {
  memory: string
  values: number[]
}

export interface CollectedMoment {
  at: number
  kind: string
  candidates: Candidate[]
}

export interface CollectedSession {
  project: string
  session: ProjectSession
  moments: CollectedMoment[]
}

/**
 * The features of every candidate at every moment of a project's sessions, computed by the recall code. Without the guard: all are stored.
 */
export async function collect(project: Project, embedding: EmbeddingProvider): Promise<CollectedSession[]> {
  const storage = await openStorage('sqlite::memory:')
  const memory = await openMemory({ storage, embedding: { ...embedding, close: async () => {} }, poisons: null })
  const own = memory.as({ projectId: project.name })
  const names = new Map<string, string>()
  for (const { id, category, service, content } of project.memories) {
    const { memory: stored } = await own.add({ layer: 'project', category, service, content })
    names.set(stored.id, id)
  }
  const engine = {
    storage,
    scopes: null,
    others: null,
    now: new Date(),
    embed: async (text: string) => (await embedding.embed([text]))[0]!,
    calibrate: (cosine: number) => embedding.calibrate?.(cosine, 0) ?? cosine,
    attempt: <T>(work: () => Promise<T>) => work(),
  }
  const sessions: CollectedSession[] = []
  for (const session of project.sessions) {
    let trace = startTrace()
    const moments: CollectedMoment[] = []
    for (const { at, moment } of momentsOf(session)) {
      const gathered = await gather(engine, readScene(moment), trace)
      trace = gathered.trace
      const candidates = gathered.found.map(({ memory: { id }, values }) => ({ memory: names.get(id)!, values }))
      moments.push({ at, kind: moment.kind, candidates })
    }
    sessions.push({ project: project.name, session, moments })
  }
  await memory.shutdown()
  return sessions
}
