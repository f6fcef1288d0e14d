import type { EmbeddingProvider } from '../../src/embedding/provider.ts'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { CHARACTERS_PER_TOKEN } from '../../src/model/limits.ts'
import type { Memory } from '../../src/model/memory.ts'
import type { Moment } from '../../src/model/moment.ts'

export interface Note {
  content: string
  category: Memory['category']
  service: string | null
}

/** What an agent is given at one point of a run. */
export interface Given {
  lines: { content: string; disputed: boolean }[]
  tokens: number
}

export interface Run {
  agent: string
  session: string
}

/** A way to remember, with what the fleet has stored in it so far. */
export interface Arm {
  name: string
  /** Memories before the first run: recorded by an agent on this day, or by an operator. */
  store(notes: readonly Note[], by: { agent: string; day: number } | 'operator'): Promise<void>
  atStart(run: Run): Promise<Given>
  atMoment(run: Run, moment: Moment): Promise<Given>
  /** Records what the run found out. */
  leave(run: Run, note: Note, day: number): Promise<void>
  close(): Promise<void>
}

const NOTHING: Given = { lines: [], tokens: 0 }
const PROJECT = 'fleet'
const START = Date.parse('2026-03-02T09:00:00.000Z')
const DAY = 86_400_000

export function noMemory(): Arm {
  return {
    name: 'no memory',
    store: async () => {},
    atStart: async () => NOTHING,
    atMoment: async () => NOTHING,
    leave: async () => {},
    close: async () => {},
  }
}

/** One file that every run reads whole, and to which runs append what is not in it yet. */
export function oneFile(): Arm {
  const lines = new Set<string>()
  return {
    ...noMemory(),
    name: 'everything in CLAUDE.md',
    async store(notes) {
      for (const { content } of notes) lines.add(content)
    },
    async atStart() {
      const characters = [...lines].reduce((sum, line) => sum + `- ${line}\n`.length, 0)
      const shown = [...lines].map((content) => ({ content, disputed: false }))
      return { lines: shown, tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN) }
    },
    async leave(_, { content }) {
      lines.add(content)
    },
  }
}

/** Nokosu with memories at the start of a session, at its moments, or both. */
export async function engine(
  name: string,
  embedding: EmbeddingProvider,
  { start, moments }: { start: boolean; moments: boolean },
): Promise<Arm> {
  let now = START
  const memory = await openMemory({
    storage: 'sqlite::memory:',
    embedding: { ...embedding, close: async () => {} },
    now: () => new Date(now),
  })
  const remember = ({ agent, session }: Run, { content, category, service }: Note, day: number) => {
    now = START + day * DAY
    return as(memory, agent).remember({ content, category, service }, { session })
  }
  return {
    name,
    async store(notes, by) {
      if (by === 'operator') {
        const sure = notes.map(({ content, category, service }) => ({ content, category, service, confidence: 0.9 }))
        await memory.as({ projectId: PROJECT }).bulkAdd(sure, { exact: true })
      } else {
        for (const [i, note] of notes.entries()) {
          await remember({ agent: by.agent, session: `before-${by.day}-${i}` }, note, by.day)
        }
      }
      now = START
    },
    async atStart({ agent, session }) {
      if (!start) return NOTHING
      const { memories, text, tokens } = await as(memory, agent).context({ session })
      const lines = text.split('\n')
      const disputed = (content: string) =>
        lines.some((line) => line.includes(`] ${content} (`) && line.includes('(disputed:'))
      return { lines: memories.map(({ content }) => ({ content, disputed: disputed(content) })), tokens }
    },
    async atMoment({ agent, session }, moment) {
      if (!moments) return NOTHING
      const { lines, tokens } = await as(memory, agent).recall({ session, moment })
      const shown = lines.map((line) => ({ content: line.memory.content, disputed: line.disputed !== undefined }))
      return { lines: shown, tokens }
    },
    async leave(run, note, day) {
      await remember(run, note, day)
    },
    close: () => memory.shutdown(),
  }
}

function as(memory: Nokosu, agentId: string) {
  return memory.as({ agentId, projectId: PROJECT })
}
