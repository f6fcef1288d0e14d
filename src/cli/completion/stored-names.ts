import type { Nokosu } from '../../engine/nokosu.ts'
import { LIMITS } from '../../model/limits.ts'
import { cutTo } from '../display-width.ts'
import { readOnlooker } from '../identifiers.ts'
import { readKnownNames } from '../known-names.ts'
import { openEngine, readConfig } from '../open-engine.ts'
import { shell } from '../shell.ts'
import { shortIds } from '../short-id.ts'

export interface Candidate {
  word: string
  about: string
  /** The full id that contains the word. */
  whole?: string
}

export interface Names {
  projects: string[]
  agents: string[]
  memories: Candidate[]
  deleted: Candidate[]
  sessions: Candidate[]
}

const NONE: Names = { projects: [], agents: [], memories: [], deleted: [], sessions: [] }
const WIDTH = 60

/** Reads the store selected by the line so far. Loads no model and creates no store. */
export async function readNames(words: readonly string[]): Promise<Names> {
  const after = (flag: string) => words[words.indexOf(flag) + 1 || words.length]
  const flags = { db: after('--db'), config: after('--config'), project: after('--project') }
  const config = await readConfig(Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)))
  const engine = await openEngine({ ...config, log: 'silent' }, 'read')
  try {
    return await collect(engine, words.includes('--all') ? {} : { project: config.project }, words.includes('undelete'))
  } finally {
    await engine.shutdown()
  }
}

async function collect(engine: Nokosu, { project }: { project?: string | undefined }, gone: boolean): Promise<Names> {
  if (shell().storeMissing) return NONE
  const known = await readKnownNames(engine)
  const claim = project === undefined ? ({ everything: true } as const) : readOnlooker({ project }, { project })
  const { memories } = await engine.list({ ...claim, includeInactive: true, limit: LIMITS.listLimit })
  const { deleted } = gone ? await engine.deleted(claim) : { deleted: [] }
  return {
    ...known,
    memories: toCandidates(memories.map(({ id, content }) => [id, content])),
    deleted: toCandidates(deleted.map(({ memory }) => [memory.id, memory.content])),
    sessions: toCandidates(known.sessions.map(({ id, agent, startedAt }) => [id, `${agent ?? '-'} ${startedAt}`])),
  }
}

function toCandidates(items: readonly (readonly [id: string, about: string])[]): Candidate[] {
  const ids = shortIds(items.map(([id]) => id))
  return items.map(([id, about]) => ({
    word: ids.get(id)!,
    whole: id,
    about: cutTo(about.replace(/\s+/g, ' '), WIDTH),
  }))
}
