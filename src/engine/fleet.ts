import { z } from 'zod'
import { countSchema, exactTimeSchema, idSchema, text, timeSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { pagesOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import type { Session } from '../model/records.ts'
import { claimFields } from '../model/schema.ts'
import { readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { outcomeOf, outcomesIn, type Run, readRuns, readSessions, type ShownPair } from './runs.ts'
import { sessionSelectors } from './sessions.ts'

export const fleetSchema = z.strictObject({
  ...claimFields,
  /** Only runs that began at or after this. Default: all. */
  since: timeSchema.optional(),
  /** Only runs of this agent. */
  agent: text(LIMITS.identifier).optional(),
  /** Runs whose memories are counted, the latest first. */
  limit: z.int().min(1).max(LIMITS.pageLimit).default(300),
})

const name = z.string().nullable()
const counts = {
  runs: countSchema,
  /** Counts each memory once per run. */
  shown: countSchema,
  used: countSchema,
  recorded: countSchema,
}
const agentSchema = z.strictObject({
  /** null: runs without a named agent. */
  agent: name,
  ...counts,
  succeeded: countSchema,
  failed: countSchema,
  lastAt: exactTimeSchema,
})
const readerSchema = z.strictObject({ agent: name, shown: countSchema, used: countSchema })

export const fleetResultSchema = z.strictObject({
  /** Runs whose memories are counted, and all runs: beyond `limit`, `shown`, `used` and `recorded` only cover the latest. */
  counted: countSchema,
  total: countSchema,
  /** By the day (UTC) on which runs began, in order. Days without runs are omitted. */
  days: z.array(z.strictObject({ day: z.string(), ...counts, withMemories: countSchema })),
  /** All agents that ran, the latest first. */
  agents: z.array(agentSchema),
  /** Which agent read another's memories, most memories first; from null: a person or a program. */
  passed: z.array(z.strictObject({ from: name, to: name, memories: countSchema, used: countSchema })),
  /** What was learned, newest first. */
  learned: z.array(z.strictObject({ memory: idSchema, agent: name, session: idSchema, at: exactTimeSchema })),
  /** What was shown, by number of readers other than its author. */
  spread: z.array(z.strictObject({ memory: idSchema, from: name, readers: z.array(readerSchema) })),
})
export type Fleet = z.output<typeof fleetResultSchema>
export type FleetAgent = Fleet['agents'][number]

/** Maximum sessions read. */
const MOST_SESSIONS = 20_000
/** Maximum memories listed. */
const MOST_NAMED = 100

/** Which agents learned, were shown, and used what. */
export async function readFleet(core: Core, caller: Caller, input: z.input<typeof fleetSchema>): Promise<Fleet> {
  const { since, agent, limit, ...claim } = parseInput(fleetSchema, input, 'fleet')
  const reader = resolveClaim(caller, claim)
  const all = await readSessionsSince(core, sessionSelectors(reader), since)
  const asked = agent === undefined ? all : all.filter((session) => session.agent === agent)
  const { runs, shown, events } = await readRuns(core, asked.slice(0, limit))
  const learned = events
    .filter(({ type }) => type === 'capture')
    .flatMap(({ data, session, at }) => learnedIn(data).map((memory) => ({ memory, session: session!, at })))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
  const mayRead = await readerOf(core, reader)
  const ids = [...new Set([...shown, ...learned].map(({ memory }) => memory))]
  const memories = new Map(
    (ids.length === 0 ? [] : await core.attempt(() => core.storage.get(ids)))
      .filter(({ memory }) => mayRead(memory))
      .map(({ memory }) => [memory.id, memory]),
  )
  const authors = await readAuthors(core, [...memories.values()], all)
  const agentIn = new Map(runs.map(({ session }) => [session.id, session.agent]))
  const visible = shown.filter(({ memory }) => memories.has(memory))
  return {
    counted: runs.length,
    total: asked.length,
    days: daysOf(runs),
    agents: agentsOf(asked, runs),
    learned: learned
      .filter(({ memory }) => memories.has(memory))
      .slice(0, MOST_NAMED)
      .map((each) => ({ ...each, agent: agentIn.get(each.session) ?? null })),
    ...spreadOf(visible, authors, agentIn),
  }
}

async function readSessionsSince(
  { storage, attempt }: Core,
  any: ReturnType<typeof sessionSelectors>,
  since: string | undefined,
): Promise<Session[]> {
  const found: Session[] = []
  if (any?.length === 0) return found
  for await (const { items } of pagesOf((after) =>
    attempt(() => storage.sessions({ any, after, limit: LIMITS.pageLimit })),
  )) {
    found.push(...items)
    // Sorted newest first.
    if (found.length >= MOST_SESSIONS || (since !== undefined && (items.at(-1)?.startedAt ?? '') < since)) break
  }
  return since === undefined ? found : found.filter(({ startedAt }) => startedAt >= since)
}

function learnedIn(data: Parameters<typeof outcomesIn>[0]): string[] {
  return outcomesIn(data).flatMap(({ kind, memory }) =>
    (kind === 'insert' || kind === 'contradict') && typeof memory === 'string' ? [memory] : [],
  )
}

/** The agent behind each memory; null if no run recorded it. */
async function readAuthors(
  core: Core,
  memories: readonly Memory[],
  known: readonly Session[],
): Promise<Map<string, string | null>> {
  const agents = new Map(known.map(({ id, agent }) => [id, agent]))
  const others = memories.flatMap(({ session }) => (session === null || agents.has(session) ? [] : [session]))
  for (const { id, agent } of await readSessions(core, others)) agents.set(id, agent)
  return new Map(
    memories.map(({ id, session, identifiers }) => {
      const agent = session === null ? undefined : agents.get(session)
      return [id, agent ?? identifiers.agentId ?? null]
    }),
  )
}

function daysOf(runs: readonly Run[]): Fleet['days'] {
  const byDay = Map.groupBy(runs, ({ session }) => session.startedAt.slice(0, 10))
  return [...byDay]
    .map(([day, some]) => ({ day, ...countsOf(some), withMemories: some.filter(({ shown }) => shown > 0).length }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

function countsOf(runs: readonly Run[]) {
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0)
  return {
    runs: runs.length,
    shown: sum(({ shown }) => shown),
    used: sum(({ used }) => used.length),
    recorded: sum(({ recorded }) => recorded),
  }
}

function agentsOf(sessions: readonly Session[], runs: readonly Run[]): FleetAgent[] {
  const counted = Map.groupBy(runs, ({ session }) => session.agent)
  return [...Map.groupBy(sessions, ({ agent }) => agent)].map(([agent, own]) => {
    const ended = (how: string) => own.filter((session) => outcomeOf(session) === how).length
    return {
      ...{ agent, ...countsOf(counted.get(agent) ?? []), runs: own.length },
      ...{ succeeded: ended('succeeded'), failed: ended('failed'), lastAt: own[0]!.startedAt },
    }
  })
}

function spreadOf(
  shown: readonly ShownPair[],
  authors: ReadonlyMap<string, string | null>,
  agentIn: ReadonlyMap<string, string | null>,
): Pick<Fleet, 'passed' | 'spread'> {
  const spread = [...Map.groupBy(shown, ({ memory }) => memory)].map(([memory, pairs]) => {
    const readers = [...Map.groupBy(pairs, ({ session }) => agentIn.get(session) ?? null)].map(([agent, some]) => ({
      ...{ agent, shown: some.length },
      used: some.filter(({ used }) => used).length,
    }))
    readers.sort((a, b) => b.used - a.used || b.shown - a.shown)
    return { memory, from: authors.get(memory) ?? null, readers }
  })
  const reach = ({ from, readers }: Fleet['spread'][number]) => readers.filter(({ agent }) => agent !== from).length
  const total = ({ readers }: Fleet['spread'][number]) => readers.reduce((sum, each) => sum + each.used + each.shown, 0)
  spread.sort((a, b) => reach(b) - reach(a) || total(b) - total(a) || (a.memory < b.memory ? -1 : 1))
  const steps = spread.flatMap(({ from, readers }) => readers.map(({ agent, used }) => ({ from, to: agent, used })))
  const passed = [...Map.groupBy(steps, ({ from, to }) => JSON.stringify([from, to])).values()].map((some) => ({
    ...{ from: some[0]!.from, to: some[0]!.to, memories: some.length },
    used: some.filter(({ used }) => used > 0).length,
  }))
  return { passed: passed.sort((a, b) => b.memories - a.memories), spread: spread.slice(0, MOST_NAMED) }
}
