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
  /** The session that is shown this: it never gets the same memory twice. */
  session: idSchema.optional(),
  moment: momentSchema,
  /** Maximum lines. Default: 5 at a prompt or a task, 2 at any other moment, plus one for a memory that guards the action by name. */
  limit: z.int().min(1).max(LIMITS.searchLimit).optional(),
  /** Maximum tokens of the text. */
  budget: z.int().min(1).default(800),
  /**
   * Records the showing in the same call. false: the caller confirms delivery with
   * `recordShowing`; until then the lines may come again.
   */
  record: z.boolean().default(true),
  /** The session was compacted and has lost what earlier moments showed. It still has what it was shown at its start. */
  forgotten: z.boolean().default(false),
  /**
   * Milliseconds after which the answer is empty, with `late`. Recording the showing may
   * take longer, and its failure is only logged.
   */
  boundMs: z.int().min(1).optional(),
  /** Explains how each line was chosen, and what was left out. */
  explain: z.boolean().default(false),
  key: keySchema,
})
export type RecallRequest = z.input<typeof recallSchema>
type Parsed = z.output<typeof recallSchema>

const explanationSchema = z.strictObject({
  /** By meaning and shared words together, and the words' part of that. */
  near: z.number(),
  words: z.number(),
  /** The words shared with the moment, the most significant first; and those matched exactly. */
  shared: z.array(z.string()),
  keys: z.array(z.string()),
})

export const recallResultSchema = z.strictObject({
  /** What matters now, the most important first; empty if nothing does. */
  lines: z.array(
    z.strictObject({
      memory: memorySchema,
      score: z.number(),
      /** Why it is shown, for people. */
      reason: z.string(),
      tokens: z.int(),
      /** Others contradict it, and neither side is clearly stronger: who says what, since when. */
      disputed: z.string().optional(),
      explanation: explanationSchema.optional(),
    }),
  ),
  /** The lines as shown to an agent; the empty string if there are none. */
  text: z.string(),
  tokens: z.int(),
  /** Memories that the session was shown and an operator has since retracted: `text` begins with them. */
  retracted: z.array(z.strictObject({ id: idSchema, content: z.string(), why: z.string() })).optional(),
  /** Time ran out before the answer was known. */
  late: z.literal(true).optional(),
  /** With `explain`: the nearest memories that are not shown, and why. */
  omitted: z.array(z.strictObject({ id: idSchema, score: z.number(), reason: z.string() })).optional(),
})
export type Recall = z.output<typeof recallResultSchema>

const MOST_OMITTED = 10

/** A memory that matters now, with the agent that owns it if that is another one. */
export type Current = Weighed & { notedBy?: string }

/** What matters at this moment of a session; empty if nothing does. */
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
  // No await from here until the lines are noted, so that two concurrent moments show a memory once.
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

/** What a prompt or a task calls for at the start of a session, with all reasons. Records nothing. */
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

/** The score of each memory at this moment, without corrected ones, and what is known about the session. */
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

/** The score and number of shared words from which another agent's note is shown: it must clearly be relevant. */
const CLEAR = { score: 0.7, words: 2 }

/** The agent layers of the caller's project; null if it has no project, or sees them anyway. */
function othersOf(who: Identifiers | null): ScopeSelector | null {
  if (who?.projectId === undefined || who.agentId === EVERY_AGENT) return null
  return { layer: 'agent', agentsOf: who.projectId }
}

/** A session does not need the lesson it has just drawn. */
function isOwnLesson({ source, session }: Memory, asking: string | undefined): boolean {
  return source === 'observed' && asking !== undefined && session === asking
}

/** Another agent's note names its author. Below the line, or corrected, this reader does not see it. */
function ofOthers(item: Weighed, scopes: SessionState['scopes']): Current[] {
  const { memory, score, shared } = item
  if (memory.layer !== 'agent' || scopes === null || scopes.some((scope) => selects(scope, memory))) return [item]
  const isCorrected = memory.links.some(({ relation }) => relation === 'contradictedBy')
  const isClear = score >= CLEAR.score && shared.length >= CLEAR.words
  return isCorrected || !isClear ? [] : [{ ...item, notedBy: memory.identifiers.agentId! }]
}

function warnUnrecorded({ log }: Core): (error: unknown) => void {
  return (error) => log.warn({ error: (error as Error).message }, 'could not record what a session was shown')
}

export function nothing({ explain }: { explain?: boolean | undefined }): Recall {
  return { lines: [], text: '', tokens: 0, ...(explain ? { omitted: [] } : {}) }
}

/**
 * What is known about the session: from earlier moments in this process, or from the store. Memories it was shown count even if they can
 * no longer be read; `whole` is everything.
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
  // Another moment of the same session may have come in the meantime.
  const meanwhile = core.sessions.get(session, name)
  if (meanwhile === null) core.sessions.set(session, name, fresh)
  return meanwhile ?? fresh
}

/** What the session was shown, according to the store. A compaction only loses what moments showed before it. */
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

/** A correction is shown instead of what it corrects, with the same score. */
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
