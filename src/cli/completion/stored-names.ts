import type { Nokosu } from '../../engine/nokosu.ts'
import { LIMITS } from '../../model/limits.ts'
import { cutTo } from '../display-width.ts'
import type { IdentifierOptions } from '../identifiers.ts'
import { readOnlooker } from '../identifiers.ts'
import { readKnownNames } from '../known-names.ts'
import { openEngine, readConfig } from '../open-engine.ts'
import { shell } from '../shell.ts'
import { shortIds } from '../short-id.ts'
import type { Candidate, Names } from './candidate.ts'

const NONE: Names = { projects: [], agents: [], memories: [], deleted: [], sessions: [] }
const WIDTH = 60

/** Reads the store that the line so far chooses. No model is loaded and no store is created. */
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
  const claim =
    project === undefined
      ? ({ everything: true } as const)
      : readOnlooker({ project } as IdentifierOptions, { project })
  const { memories } = await engine.list({ ...claim, includeInactive: true, limit: LIMITS.listLimit })
  const { deleted } = gone ? await engine.deleted(claim) : { deleted: [] }
  return {
    ...known,
    memories: toCandidates(memories, ({ content }) => content),
    deleted: toCandidates(
      deleted.map(({ memory }) => memory),
      ({ content }) => content,
    ),
    sessions: toCandidates(known.sessions, ({ agent, startedAt }) => `${agent ?? '-'} ${startedAt}`),
  }
}

function toCandidates<Item extends { id: string }>(items: readonly Item[], about: (item: Item) => string): Candidate[] {
  const ids = shortIds(items.map(({ id }) => id))
  return items.map((item) => ({
    word: ids.get(item.id)!,
    whole: item.id,
    about: cutTo(about(item).replace(/\s+/g, ' '), WIDTH),
  }))
}
