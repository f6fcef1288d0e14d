import { z } from 'zod'
import { endedWell } from '../lifecycle/usefulness.ts'
import { countSchema, idSchema, text } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { pagesOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import { type Injection, type Session, sessionSchema, type WorkflowEvent } from '../model/records.ts'
import { pageSchema } from '../model/schema.ts'
import { resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { RETRACTION } from './retract.ts'
import { PROMPT } from './run-events.ts'
import { ownsSession, sessionSelectors } from './sessions.ts'
import { usedKey } from './uses.ts'

export const RUN_OUTCOMES = ['succeeded', 'failed', 'running', 'ended'] as const
export type RunOutcome = (typeof RUN_OUTCOMES)[number]

export const runsSchema = pageSchema.extend({
  /** Only these. */
  session: z.union([idSchema, z.array(idSchema).max(LIMITS.listLimit)]).optional(),
  agent: text(LIMITS.identifier).optional(),
  outcome: z.enum(RUN_OUTCOMES).optional(),
  /** A part of the prompt, agent, project or id. */
  text: text(LIMITS.identifier).optional(),
})
export type RunsRequest = z.input<typeof runsSchema>

const runSchema = z.strictObject({
  session: sessionSchema,
  /** The first line of its prompt; null if unknown. */
  prompt: z.string().nullable(),
  /** `ended`: finished without a known result. */
  outcome: z.enum(RUN_OUTCOMES),
  /** How many memories it was shown, and how many of them it acted on. */
  shown: countSchema,
  used: z.array(idSchema),
  /** The outcomes of its observations: new memories, corrections, repeats, new ones held for review, and refusals. */
  recorded: countSchema,
  corrected: countSchema,
  reinforced: countSchema,
  held: countSchema,
  refused: countSchema,
})
export type Run = z.output<typeof runSchema>

export const runsResultSchema = z.strictObject({ runs: z.array(runSchema), nextCursor: z.string().nullable() })

/** Sessions read for one page of matches. The next page continues after them. */
const MOST_LOOKED_AT = 2_000
/** Sessions per query for their records, and records per query. */
const AT_ONCE = 100
const PAGE = 1_000
const MOST_RECORDS = 20_000

/** Sessions with their prompt and outcomes, newest first. */
export async function listRuns(
  core: Core,
  caller: Caller,
  input: RunsRequest,
): Promise<z.output<typeof runsResultSchema>> {
  const { limit, cursor, session, agent, outcome, text: words, ...claim } = parseInput(runsSchema, input, 'runs')
  const reader = resolveClaim(caller, claim)
  if (session !== undefined) {
    const known = await readSessions(core, [session].flat())
    const own = known.filter((each) => ownsSession(reader, each))
    return { runs: (await readRuns(core, own)).runs, nextCursor: null }
  }
  const any = sessionSelectors(reader)
  if (any?.length === 0) return { runs: [], nextCursor: null }
  const found: Known[] = []
  let after = cursor ?? null
  let looked = 0
  do {
    const query = { any, after, limit: limit - found.length }
    const { items, next } = await core.attempt(() => core.storage.sessions(query))
    const known = (await withEvents(core, items)).filter(
      (run) =>
        (agent === undefined || run.session.agent === agent) &&
        (outcome === undefined || outcomeOf(run.session) === outcome) &&
        (words === undefined || holds(run, words)),
    )
    found.push(...known)
    looked += items.length
    after = next
  } while (after !== null && found.length < limit && looked < MOST_LOOKED_AT)
  return { runs: (await withShown(core, found)).runs, nextCursor: after }
}

/** What these sessions were shown, and their events. */
export async function readRuns(
  core: Core,
  sessions: readonly Session[],
): Promise<{ runs: Run[]; shown: ShownPair[]; events: WorkflowEvent[] }> {
  const known = await withEvents(core, sessions)
  return { ...(await withShown(core, known)), events: known.flatMap(({ events }) => events) }
}

/** Sessions by id, without unknown ones. */
export async function readSessions({ storage, attempt }: Core, ids: readonly string[]): Promise<Session[]> {
  return inParts([...new Set(ids)], async (part) => {
    const any = part.map((id) => ({ id }))
    return (await attempt(() => storage.sessions({ any, after: null, limit: AT_ONCE }))).items
  })
}

interface Known {
  session: Session
  prompt: string | null
  events: readonly WorkflowEvent[]
}

export function outcomeOf(session: Session): RunOutcome {
  if (session.endedAt === null) return 'running'
  const isGood = endedWell(session, undefined)
  return isGood === null ? 'ended' : isGood ? 'succeeded' : 'failed'
}

function holds({ session: { id, agent, project }, prompt }: Known, words: string): boolean {
  const wanted = words.toLowerCase()
  return [prompt, agent, project, id].some((each) => each?.toLowerCase().includes(wanted))
}

async function withEvents({ storage, attempt }: Core, sessions: readonly Session[]): Promise<Known[]> {
  const events = await inParts(sessions, async (part) => {
    const any = part.map(({ id }) => ({ session: id }))
    return readAll((after) => attempt(() => storage.events({ any, after, limit: PAGE })))
  })
  const bySession = Map.groupBy(events, ({ session }) => session)
  return sessions.map((session) => {
    const own = bySession.get(session.id) ?? []
    const asked = own.find(({ type }) => type === PROMPT)?.data.text
    return { session, events: own, prompt: typeof asked === 'string' ? asked : null }
  })
}

async function withShown(core: Core, found: readonly Known[]): Promise<{ runs: Run[]; shown: ShownPair[] }> {
  const shown = await readShownPairs(
    core,
    found.map(({ session }) => session),
  )
  const bySession = Map.groupBy(shown, ({ session }) => session)
  const runs = found.map(({ session, prompt, events }) => {
    const own = bySession.get(session.id) ?? []
    const used = own.filter((each) => each.used).map(({ memory }) => memory)
    return { session, prompt, outcome: outcomeOf(session), shown: own.length, used, ...countOutcomes(events) }
  })
  return { runs, shown }
}

export interface ShownPair {
  session: string
  memory: string
  used: boolean
}

/** Each memory shown to each of these sessions, once, and whether the session acted on it. */
export async function readShownPairs({ storage, attempt }: Core, sessions: readonly Session[]): Promise<ShownPair[]> {
  const injections = await inParts(sessions, async (part) => {
    const session = part.map(({ id }) => id)
    return readAll((after) => attempt(() => storage.injections({ session, memory: null, after, limit: PAGE })))
  })
  const pairs = new Map(
    injections.filter(({ format }) => format !== RETRACTION).map((each) => [usedKey(each.session, each.memory), each]),
  )
  const used = pairs.size === 0 ? new Set<string>() : await attempt(() => storage.known([...pairs.keys()]))
  const toPair = ([key, { session, memory }]: [string, Injection]) => ({ session, memory, used: used.has(key) })
  return [...pairs].map(toPair)
}

const COUNTED = {
  insert: 'recorded',
  contradict: 'corrected',
  reinforce: 'reinforced',
  duplicate: 'reinforced',
  refuse: 'refused',
} as const
type Counts = Pick<Run, 'recorded' | 'corrected' | 'reinforced' | 'held' | 'refused'>

function countOutcomes(events: readonly WorkflowEvent[]): Counts {
  const counts: Counts = { recorded: 0, corrected: 0, reinforced: 0, held: 0, refused: 0 }
  for (const { data } of events.filter(({ type }) => type === 'capture')) {
    for (const each of outcomesIn(data)) {
      const name = COUNTED[each.kind as keyof typeof COUNTED]
      if (name === undefined) continue
      counts[name]++
      if (name === 'corrected') counts.recorded++
      if (each.held === true) counts.held++
    }
    counts.refused += Array.isArray(data.refusals) ? data.refusals.length : 0
  }
  return counts
}

type ToldOutcome = { kind?: unknown; held?: unknown; memory?: unknown }

export function outcomesIn({ outcomes }: WorkflowEvent['data']): ToldOutcome[] {
  return Array.isArray(outcomes) ? (outcomes as ToldOutcome[]) : []
}

async function inParts<Item, Found>(
  items: readonly Item[],
  read: (part: Item[]) => Promise<Found[]>,
): Promise<Found[]> {
  const found: Found[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) found.push(...(await read(items.slice(at, at + AT_ONCE))))
  return found
}

async function readAll<Item>(
  read: (after: string | null) => Promise<{ items: Item[]; next: string | null }>,
): Promise<Item[]> {
  const found: Item[] = []
  for await (const { items } of pagesOf(read)) {
    found.push(...items)
    if (found.length >= MOST_RECORDS) break
  }
  return found
}
