import { z } from 'zod'
import { differenceOf, endedWell, judgeUsefulness, LEAST_RUNS } from '../lifecycle/usefulness.ts'
import { idSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { HARM_NOTE, type Memory, REVIEW_TAG } from '../model/memory.ts'
import { type Page, pagesOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import type { Session, WorkflowEvent } from '../model/records.ts'
import { claimFields } from '../model/schema.ts'
import type { Write } from '../storage/commit.ts'
import { readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { changedRow, commitUnlessChanged } from './write.ts'

export const usefulnessSchema = z.strictObject({ ids: z.array(idSchema).max(LIMITS.listLimit), ...claimFields })

const endedSchema = z.strictObject({ good: z.int(), of: z.int() })
export const usefulnessResultSchema = z.strictObject({
  memory: idSchema,
  /** Runs that were shown it, and those that acted on it. */
  shown: z.int(),
  used: z.int(),
  /** Results of those runs, if known, and of similar runs without it: same project and role, begun since it exists. */
  runs: endedSchema,
  others: endedSchema,
  /** How much more often runs with it succeeded, with the 95 % interval; null below ten runs on either side. */
  difference: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  verdict: z.enum(['helps', 'harms', 'unclear', 'too few runs']),
})
export type MemoryUsefulness = z.output<typeof usefulnessResultSchema>

/** The latest runs of a project that are read, as many of its events, and showings of one memory. */
const MOST_RUNS = 2_000
const PAGE = 500

/** How runs that were shown a memory ended, compared with similar runs that were not. It never changes what is believed. */
export async function usefulness(
  core: Core,
  caller: Caller,
  input: z.input<typeof usefulnessSchema>,
): Promise<MemoryUsefulness[]> {
  const { ids, ...claim } = parseInput(usefulnessSchema, input, 'usefulness')
  const reader = resolveClaim(caller, claim)
  const mayRead = reader === null ? () => true : await readerOf(core, reader)
  const found = await core.attempt(() => core.storage.get([...new Set(ids)]))
  const byId = new Map(found.map(({ memory }) => [memory.id, memory]))
  const memories = ids.flatMap((id) => byId.get(id) ?? []).filter(mayRead)
  return usefulnessOf(core, memories)
}

async function usefulnessOf(core: Core, memories: readonly Memory[]): Promise<MemoryUsefulness[]> {
  const projects = new Map<string, Promise<Runs>>()
  const runsOf = (project: string) => {
    const known = projects.get(project) ?? readRuns(core, project)
    projects.set(project, known)
    return known
  }
  const results: MemoryUsefulness[] = []
  for (const memory of memories) {
    const { projectId } = memory.identifiers
    const { sessions, verdicts } = projectId === undefined ? NO_RUNS : await runsOf(projectId)
    results.push(compare(memory, sessions, verdicts, await shownIn(core, memory.id)))
  }
  return results
}

interface Runs {
  sessions: readonly Session[]
  /** A reviewer's verdict on a session's work. */
  verdicts: ReadonlyMap<string, boolean>
}

const NO_RUNS: Runs = { sessions: [], verdicts: new Map() }

function compare(
  memory: Memory,
  sessions: readonly Session[],
  verdicts: Runs['verdicts'],
  shown: ReadonlySet<string>,
): MemoryUsefulness {
  const kindOf = ({ role, tier }: Session) => JSON.stringify([role, tier])
  const since = sessions.filter(({ startedAt }) => startedAt >= memory.createdAt)
  const kinds = new Set(since.filter(({ id }) => shown.has(id)).map(kindOf))
  const [runs, others] = [
    { good: 0, of: 0 },
    { good: 0, of: 0 },
  ]
  for (const session of since) {
    const isGood = endedWell(session, verdicts.get(session.id))
    if (isGood === null || !kinds.has(kindOf(session))) continue
    const side = shown.has(session.id) ? runs : others
    side.of++
    if (isGood) side.good++
  }
  const isEnough = runs.of >= LEAST_RUNS && others.of >= LEAST_RUNS
  return {
    ...{ memory: memory.id, shown: shown.size, used: memory.useCount, runs, others },
    difference: isEnough ? rounded(differenceOf(runs, others)) : null,
    verdict: judgeUsefulness(runs, others),
  }
}

function rounded({ value, low, high }: { value: number; low: number; high: number }) {
  const round = (number: number) => Math.round(number * 1000) / 1000
  return { value: round(value), low: round(low), high: round(high) }
}

async function shownIn({ storage, attempt }: Core, memory: string): Promise<ReadonlySet<string>> {
  const shown = await all((after) => attempt(() => storage.injections({ session: null, memory, after, limit: PAGE })))
  return new Set(shown.map(({ session }) => session))
}

async function readRuns({ storage, attempt }: Core, project: string): Promise<Runs> {
  const any = [{ project }]
  const sessions = await all((after) => attempt(() => storage.sessions({ any, after, limit: PAGE })))
  const events = await all((after) => attempt(() => storage.events({ any, after, limit: PAGE })))
  return { sessions, verdicts: verdictsOf(events) }
}

async function all<Item>(read: (after: string | null) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = []
  for await (const { items } of pagesOf(read)) {
    all.push(...items)
    if (all.length >= MOST_RUNS) break
  }
  return all
}

/** Judges each submission by the next verdict on its task. `events` come newest first, as the store returns them. */
function verdictsOf(events: readonly WorkflowEvent[]): ReadonlyMap<string, boolean> {
  const next = new Map<string, boolean>()
  const verdicts = new Map<string, boolean>()
  for (const { type, session, identifiers } of events) {
    const task = identifiers.taskId
    if (task === undefined) continue
    if (type === 'approval') next.set(task, true)
    else if (type === 'rejection' || type === 'dispute') next.set(task, false)
    else if (type === 'submission' && session !== null && next.has(task)) verdicts.set(session, next.get(task)!)
  }
  return verdicts
}

/** Memories that a sweep checks for harm. */
const MOST_ASKED = 2_000

/**
 * Puts memories up for review whose runs end worse than others. They stay as they are, and an operator decides; an accepted
 * memory is not put up again.
 */
export async function putUpHarmful(core: Core, shown: readonly Memory[]): Promise<void> {
  const isOpen = ({ metadata, tags }: Memory) => !(HARM_NOTE in metadata) && !tags.includes(REVIEW_TAG)
  const asked = shown.filter((memory) => memory.recallCount >= LEAST_RUNS && isOpen(memory)).slice(0, MOST_ASKED)
  if (asked.length === 0) return
  const harmful = new Map(
    (await usefulnessOf(core, asked)).filter(({ verdict }) => verdict === 'harms').map((each) => [each.memory, each]),
  )
  const writes = asked.flatMap((memory): Write[] => {
    const found = harmful.get(memory.id)
    if (found === undefined) return []
    const metadata = { ...memory.metadata, [HARM_NOTE]: describeHarm(found) }
    const tags = [...memory.tags, REVIEW_TAG]
    return [{ kind: 'update', row: changedRow({ ...memory, tags, metadata, version: memory.version + 1 }) }]
  })
  await commitUnlessChanged(core, writes, 'usefulness', core.now())
}

function describeHarm({ runs, others }: MemoryUsefulness): string {
  return `was shown to runs that succeeded ${runs.good} of ${runs.of} times; similar runs without it succeeded ${others.good} of ${others.of} times`
}
