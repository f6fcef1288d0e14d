import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { momentsOf, type Project, type ProjectSession } from './read-project.ts'

/** A shown memory: its id in the data, and the step it was in time for. */
export interface Replayed {
  project: string
  session: ProjectSession
  shown: { memory: string; at: number }[]
  tokens: number
  /** Per recall. */
  milliseconds: number[]
}

export interface ProjectReplay {
  sessions: Replayed[]
  memories: number
  /** Memories that the guard held back. */
  held: string[]
}

/** Stores the memories of a project as a user would, and replays its sessions through recall. */
export async function replay(project: Project, embedding: EmbeddingProvider): Promise<ProjectReplay> {
  const memory = await openMemory({ storage: 'sqlite::memory:', embedding: { ...embedding, close: async () => {} } })
  const own = memory.as({ projectId: project.name })
  const names = new Map<string, string[]>()
  const held: string[] = []
  for (const { id, category, service, content } of project.memories) {
    const { memory: stored } = await own.add({ layer: 'project', category, service, content })
    names.set(stored.id, [...(names.get(stored.id) ?? []), id])
    if (stored.trust === 'quarantined') held.push(id)
  }
  const sessions: Replayed[] = []
  for (const session of project.sessions) {
    const shown: Replayed['shown'] = []
    const milliseconds: number[] = []
    let tokens = 0
    for (const { at, moment } of momentsOf(session)) {
      const start = performance.now()
      const recalled = await own.recall({ session: session.id, moment })
      milliseconds.push(performance.now() - start)
      tokens += recalled.tokens
      for (const line of recalled.lines) {
        for (const id of names.get(line.memory.id) ?? []) shown.push({ memory: id, at })
      }
    }
    sessions.push({ project: project.name, session, shown, tokens, milliseconds })
  }
  await memory.shutdown()
  return { sessions, memories: project.memories.length, held }
}
