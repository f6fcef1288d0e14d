import { z } from 'zod'
import { idSchema } from '../model/fields.ts'
import { EVERY_AGENT, type Identifiers, type ScopeSelector, selects } from '../model/layer.ts'
import { CHARACTERS_PER_TOKEN, LIMITS } from '../model/limits.ts'
import { type Memory, memorySchema } from '../model/memory.ts'
import { AFTER_COMPACTION, isMomentFormat, momentSchema } from '../model/moment.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields, keySchema } from '../model/schema.ts'
import { choose, POLICIES } from '../recall/moment/choose.ts'
import { formatOf } from '../recall/moment/format.ts'
import { gather } from '../recall/moment/gather.ts'
import { readScene, type Scene } from '../recall/moment/scene.ts'
import { isAsking, startTrace } from '../recall/moment/trace.ts'
import { type Weighed, weigh } from '../recall/moment/weigh.ts'
import { renderMoment } from '../recall/render-moment.ts'
import { createBound, LATE } from './bound.ts'
import { readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { readCorrected } from './corrected.ts'
import { RETRACTION } from './retract.ts'
import { renderRetractions, untoldRetractions, type Withdrawn } from './retractions.ts'
import type { SessionState } from './session-states.ts'
import { requireOwnSession, storeShowing } from './sessions.ts'

export const recallSchema = z.strictObject({
  ...claimFields,
  /** The session that is shown this: nothing that it was shown before comes again. */
  session: idSchema.optional(),
  moment: momentSchema,
  /** Lines at most. Default: 5 at a prompt or a task, 2 at any other moment, and one more where a line guards the action by name. */
  limit: z.int().min(1).max(LIMITS.searchLimit).optional(),
  /** Tokens of the text. */
  budget: z.int().min(1).default(800),
  /**
   * Records the showing with the session, in the same call. false: whoever delivers the lines says so afterwards, with
   * `recordShowing`; until then they may come again.
   */
  record: z.boolean().default(true),
  /** The session was compacted, and has lost what earlier moments showed it. What it was shown at its start, it still has. */
  forgotten: z.boolean().default(false),
  /**
   * Milliseconds after which there is nothing to show, with `late`, rather than a late answer. Recording what is shown may
   * take longer, and its failure is only logged.
   */
  boundMs: z.int().min(1).optional(),
  /** Says how each line came about, and what was left out. */
  explain: z.boolean().default(false),
  key: keySchema,
})
export type RecallRequest = z.input<typeof recallSchema>
type Parsed = z.output<typeof recallSchema>

const explanationSchema = z.strictObject({
  /** By meaning and shared words together, and what the shared words tell. */
  near: z.number(),
  words: z.number(),
  /** The words that it shares with the moment, the most telling first; and those of them that it names exactly. */
  shared: z.array(z.string()),
  keys: z.array(z.string()),
})

export const recallResultSchema = z.strictObject({
  /** What matters now, the most important first; empty when nothing does. */
  lines: z.array(
    z.strictObject({
      memory: memorySchema,
      score: z.number(),
      /** Why it is shown, for a person. */
      reason: z.string(),
      tokens: z.int(),
      /** Others contradict it, and neither side is clearly stronger: who says what, since when. */
      disputed: z.string().optional(),
      explanation: explanationSchema.optional(),
    }),
  ),
  /** The lines as an agent is shown them; the empty string when there are none. */
  text: z.string(),
  tokens: z.int(),
  /** What the session was shown before, and an operator has retracted since: `text` begins with it. */
  retracted: z.array(z.strictObject({ id: idSchema, content: z.string(), why: z.string() })).optional(),
  /** The bound was reached before it was known what matters. */
  late: z.literal(true).optional(),
  /** With `explain`: the nearest that are not shown, and why. */
  omitted: z.array(z.strictObject({ id: idSchema, score: z.number(), reason: z.string() })).optional(),
})
export type Recall = z.output<typeof recallResultSchema>

const MOST_OMITTED = 10

/** What matters now, with the agent that noted it for itself where that is another one. */
export type Current = Weighed & { notedBy?: string }

/** What matters at this moment of a session; nothing when nothing does. */
export async function recall(core: Core, caller: Caller, input: RecallRequest, whole: Core = core): Promise<Recall> {
  const request = parseInput(recallSchema, input, 'recall')
  const who = resolveClaim(caller, request)
  const scene = readScene(request.moment)
  if (!core.settings.enabled) return nothing(request)
  const now = core.now()
  const bound = createBound(request.boundMs)
  const found = await bound.race(findCurrent(core, caller, who, request, scene, now, whole))
  if (found === LATE) return { ...nothing(request), late: true }
  const { state, current, disputed } = found
  const retracted = found.untold.filter(({ id }) => !state.told.has(id))
  if (current.length === 0 && retracted.length === 0) return nothing(request)
  // From here to where the lines are noted nothing waits: two moments at once show a memory once.
  const policy = POLICIES[scene.kind]
  const own = request.limit === undefined ? policy : { ...policy, lines: request.limit, withGuard: 0 }
  const { chosen, left } = choose(current, own, { ids: state.shown, lines: state.lines })
  const rendered = renderMoment(chosen, { now, budget: request.budget, disputed })
  const byId = new Map(chosen.map((item) => [item.memory.id, item]))
  const shown = rendered.included.map(({ id, tokens }) => ({ ...byId.get(id)!, tokens }))
  if (request.session !== undefined && request.record && shown.length + retracted.length > 0) {
    for (const { memory } of shown) state.shown.add(memory.id)
    for (const { id } of retracted) state.told.add(id)
    state.lines += shown.length
    const recording = record(core, caller, request, who ?? {}, { scene, shown, retracted, now })
    await (request.boundMs === undefined ? recording : bound.race(recording.catch(warnUnrecorded(core))))
  }
  const notice = renderRetractions(retracted)
  const result: Recall = {
    lines: shown.map((item) => toLine(item, request.explain, disputed.get(item.memory.id))),
    text: [notice, rendered.text].filter((text) => text !== '').join('\n\n'),
    tokens: rendered.tokens + Math.ceil(notice.length / CHARACTERS_PER_TOKEN),
    ...(retracted.length === 0 ? {} : { retracted }),
  }
  if (!request.explain) return result
  const passed = left.map(({ item, reason }) => ({ id: item.memory.id, score: item.score, reason }))
  const unfit = rendered.omitted.map(({ id, reason }) => ({ id, score: byId.get(id)!.score, reason }))
  return { ...result, omitted: [...unfit, ...passed].slice(0, MOST_OMITTED) }
}

/** What a prompt or a task calls for at the start of a session, all that speaks for each. Nothing is recorded. */
export function findFor(
  core: Core,
  caller: Caller,
  who: Identifiers | null,
  task: string,
  now: Date,
): Promise<{ current: Current[]; disputed: ReadonlyMap<string, string> }> {
  const request = parseInput(recallSchema, { moment: { kind: 'prompt', text: task } }, 'context')
  return findCurrent(core, caller, who, request, readScene(request.moment), now, core)
}

/** What speaks for each memory now, without those that were corrected, and what is known of the session. */
async function findCurrent(
  core: Core,
  caller: Caller,
  who: Identifiers | null,
  request: Parsed,
  scene: Scene,
  now: Date,
  whole: Core,
): Promise<{
  state: SessionState
  current: Current[]
  disputed: ReadonlyMap<string, string>
  untold: readonly Withdrawn[]
}> {
  const state = await openState(core, whole, caller, who, request)
  const untold = request.session === undefined ? [] : await untoldRetractions(whole, request.session, state)
  const { storage, attempt, embedder, model } = core
  const engine = {
    ...{ storage, attempt, now, scopes: state.scopes, others: othersOf(who), decay: core.settings.decay },
    embed: (text: string) => embedder.embedQuery(text),
    calibrate: (cosine: number) => model.calibrate?.(cosine, 0) ?? cosine,
  }
  if (isAsking(scene)) state.lines = 0
  const { found, trace } = await gather(engine, scene, state.trace)
  state.trace = trace
  const weighed = weigh(found, scene)
    .filter(({ memory }) => !isOwnLesson(memory, request.session))
    .flatMap((item) => ofOthers(item, state.scopes))
  return { state, untold, ...(await withoutCorrected(core, who, now, weighed)) }
}

/** From which score, and with how many shared words, another agent's note is shown: it has to be clearly to the point. */
const CLEAR = { score: 0.7, words: 2 }

/** Where other agents of the caller's project note what is their own; null for who is in no project, or sees them all anyway. */
function othersOf(who: Identifiers | null): ScopeSelector | null {
  if (who?.projectId === undefined || who.agentId === EVERY_AGENT) return null
  return { layer: 'agent', agentsOf: who.projectId }
}

/** What a session has just stumbled over is no news to it. */
function isOwnLesson({ source, session }: Memory, asking: string | undefined): boolean {
  return source === 'observed' && asking !== undefined && session === asking
}

/** Another agent's note says whose it is; below the line, or corrected, it does not exist for this reader. */
function ofOthers(item: Weighed, scopes: SessionState['scopes']): Current[] {
  const { memory, score, shared } = item
  if (memory.layer !== 'agent' || scopes === null || scopes.some((scope) => selects(scope, memory))) return [item]
  const isCorrected = memory.links.some(({ relation }) => relation === 'contradictedBy')
  const isClear = score >= CLEAR.score && shared.length >= CLEAR.words
  return isCorrected || !isClear ? [] : [{ ...item, notedBy: memory.identifiers.agentId! }]
}

function warnUnrecorded({ log }: Core): (error: unknown) => void {
  return (error) => log.warn({ error: (error as Error).message }, 'what a session was shown could not be recorded')
}

export function nothing({ explain }: { explain?: boolean | undefined }): Recall {
  return { lines: [], text: '', tokens: 0, ...(explain ? { omitted: [] } : {}) }
}

/**
 * What is known of the session: from earlier moments in this process, or from the store. What it was shown counts whether or not it may
 * still be read: `whole` is all that there is.
 */
async function openState(
  core: Core,
  whole: Core,
  caller: Caller,
  who: Identifiers | null,
  request: Parsed,
): Promise<SessionState> {
  const { session, moment, forgotten } = request
  const name = JSON.stringify(who)
  const known = session === undefined ? null : core.sessions.get(session, name)
  const readScopes = async () => (who === null ? null : (await readable(core, who, undefined)).scopes)
  if (known !== null) {
    if (isAsking(moment)) known.scopes = await readScopes()
    if (forgotten) known.shown = (await readShown(whole, session!, forgotten)).shown
    return known
  }
  const fresh: SessionState = {
    scopes: await readScopes(),
    shown: new Set(),
    told: new Set(),
    lines: 0,
    trace: startTrace(),
  }
  if (session === undefined) return fresh
  await requireOwnSession(core, caller, session)
  Object.assign(fresh, await readShown(whole, session, forgotten))
  // Another moment of the same session may have come meanwhile.
  const meanwhile = core.sessions.get(session, name)
  if (meanwhile === null) core.sessions.set(session, name, fresh)
  return meanwhile ?? fresh
}

/** What the session was shown, as the store knows it. A compaction loses what moments showed before, and nothing else. */
async function readShown(
  { storage, attempt }: Core,
  session: string,
  forgotten: boolean,
): Promise<Pick<SessionState, 'shown' | 'told'>> {
  const query = { session, memory: null, after: null, limit: LIMITS.pageLimit }
  const { items } = await attempt(() => storage.injections(query))
  const compacted = items.findLastIndex(({ format }) => format === AFTER_COMPACTION)
  const isLost = (format: string, at: number) => isMomentFormat(format) && (forgotten || at < compacted)
  const namesOf = (of: typeof items) => new Set(of.map(({ memory }) => memory))
  return {
    shown: namesOf(items.filter(({ format }, at) => !isLost(format, at))),
    told: namesOf(items.filter(({ format }) => format === RETRACTION)),
  }
}

/** A correction speaks in the place of what it corrects, as loudly. */
async function withoutCorrected(
  core: Core,
  who: Identifiers | null,
  now: Date,
  found: readonly Current[],
): Promise<{ current: Current[]; disputed: ReadonlyMap<string, string> }> {
  const { corrected, repeated, disputed } = await readCorrected(
    core,
    who,
    now,
    found.map(({ memory }) => memory),
  )
  const corrections = new Map([...corrected, ...repeated])
  if (corrections.size === 0) return { current: [...found], disputed }
  const raised = new Map<string, number>()
  for (const { memory, score } of found) {
    const by = corrections.get(memory.id)
    if (by !== undefined) raised.set(by, Math.max(score, raised.get(by) ?? 0))
  }
  const current = found
    .filter(({ memory }) => !corrections.has(memory.id))
    .map((item) => ({ ...item, score: Math.max(item.score, raised.get(item.memory.id) ?? 0) }))
  return { current, disputed }
}

async function record(
  core: Core,
  caller: Caller,
  { session, key }: Parsed,
  identifiers: Identifiers,
  {
    scene,
    shown,
    retracted,
    now,
  }: { scene: Scene; shown: readonly (Weighed & { tokens: number })[]; retracted: readonly Withdrawn[]; now: Date },
): Promise<void> {
  if (retracted.length > 0) {
    const entries = retracted.map(({ id }, position) => ({ memory: id, position, tokens: 0 }))
    await storeShowing(core, caller, { session: session!, format: RETRACTION, entries, identifiers, at: now })
  }
  if (shown.length === 0) return
  const format = formatOf(scene)
  await storeShowing(core, caller, {
    session: session!,
    format,
    entries: shown.map(({ memory, tokens }, position) => ({ memory: memory.id, position, tokens })),
    identifiers,
    at: now,
    key: repeatKey(key, 'recall', identifiers, session, format),
  })
}

function toLine(
  item: Weighed & { tokens: number },
  explain: boolean,
  disputed: string | undefined,
): Recall['lines'][number] {
  const { memory, score, tokens, near, words, shared, keys } = item
  return {
    memory,
    score,
    reason: reasonOf(item),
    tokens,
    ...(disputed === undefined ? {} : { disputed }),
    ...(explain ? { explanation: { near, words, shared, keys } } : {}),
  }
}

function reasonOf({ guards, keys, shared }: Weighed): string {
  if (guards !== undefined) return `guards ${guards}`
  if (keys.length > 0) return `names ${keys.slice(0, 3).join(', ')}`
  return shared.length > 0 ? `shares ${shared.slice(0, 3).join(', ')}` : 'close in meaning'
}
