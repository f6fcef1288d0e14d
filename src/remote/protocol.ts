import { z } from 'zod'
import { workflowEventSchema } from '../capture/workflow-event.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { rememberTargetSchema } from '../engine/remember/target.ts'
import { sessionEndSchema, sessionStartSchema, showingSchema } from '../engine/sessions.ts'
import { candidateSchema } from '../model/candidate.ts'
import { invalidInput, type MemoryError } from '../model/errors.ts'
import { identifiersSchema, idSchema, text } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { describeShowing, isMomentFormat } from '../model/moment.ts'
import type { Outcome } from '../model/outcome.ts'
import { parseInput } from '../model/parse.ts'
import { renderQuery } from '../recall/render-query.ts'

/**
 * What can be asked of a store in another process. A request and its answer are one JSON value each: over lines of a pipe,
 * or as the body of a POST. There are no callbacks and no partial answers.
 */
export interface StoreRequest {
  /** Chosen by the caller and repeated in the answer. */
  id: number
  call: string
  input: unknown
  /** Makes a write repeatable: the second call with the same key changes nothing. */
  key?: string
}

/** A store process's first message, sent without a request. */
export const STARTED: StoreAnswer = { id: -1, value: null }

export type StoreAnswer = { id: number; value: unknown } | { id: number; error: ReturnType<MemoryError['toJSON']> }

export interface DeliveryReport {
  /** Records that the store now has. */
  delivered: number
  /** Unusable records that were set aside. */
  rejected: number
  /** What stays in the spool and what was set aside, each with its file and reason. */
  failures: string[]
  /** Whether time ran out before everything was tried. */
  more: boolean
}

export interface Served {
  engine: Nokosu
  /** Delivers what earlier processes spooled, for about this many milliseconds. */
  deliver(ms: number): Promise<DeliveryReport>
}

interface Call<Schema extends z.ZodType, Value> {
  input: Schema
  run(served: Served, input: z.output<Schema>, key: string | undefined): Promise<Value>
}

function call<Schema extends z.ZodType, Value>(input: Schema, run: Call<Schema, Value>['run']): Call<Schema, Value> {
  return { input, run }
}

/** A block of memories, as far as its reader needs to know. */
export interface Block {
  /** Empty if there is nothing to show. */
  text: string
  /** What a showing of this block records. */
  entries: { memory: string; position: number; tokens: number }[]
  /** Some of the memories that were left out, each with the reason. */
  omitted: { memory: string; reason: string }[]
  /** How many memories could have been shown. */
  available: number
}

/** A memory of a block, as far as later messages need it. */
export type ShownMemory = Pick<Memory, 'id' | 'content' | 'category' | 'service'>

export interface LiveMemory extends ShownMemory {
  /** When it was shown, for display: `before terraform apply`. */
  moment: string
  /** In milliseconds. */
  at: number
}

export interface OutcomeSummary extends Pick<Outcome, 'kind' | 'reason' | 'content' | 'category' | 'service'> {
  memory: string | null
  /** The memory's current confidence. */
  confidence: number | null
  /** Held for review; no agent sees it. */
  held: boolean
  /** The text that it corrects. */
  corrects: string[]
}

const budget = z.int().min(1)
const name = text(LIMITS.identifier)
const keyed = (key: string | undefined) => (key === undefined ? {} : { key })

const MOST_DELIVERY_MS = 60_000

/** Search results for making a block. */
const MOST_RELATED = 20

export const CALLS = {
  /** Renders the block of memories of a format. Only reads: `recordShowing` records that a session was shown it. */
  context: call(
    z.strictObject({
      format: z.enum(['operational', 'workflow', 'file']),
      identifiers: identifiersSchema,
      budget: z.exactOptional(budget),
      for: z.exactOptional(text(LIMITS.query)),
      inPrompt: z.exactOptional(z.boolean()),
    }),
    async ({ engine }, input): Promise<Block & { memories: ShownMemory[]; isEmpty: boolean }> => {
      const { identifiers } = input
      const { text: block, included, omitted, available, memories } = await engine.context(input)
      const shown = memories.map(({ id, content, category, service }) => ({ id, content, category, service }))
      // Some formats leave out memories that a moment may still call for.
      const isEmpty = available === 0 && (await engine.list({ identifiers, limit: 1 })).totalCount === 0
      const [entries, left] = [toEntries(included), toOmitted(omitted)]
      return { text: block, entries, omitted: left, available, memories: shown, isEmpty }
    },
  ),
  /**
   * A block from search results, without memories that are already shown. If everything readable is shown there is
   * no search: most stores are small, and a search loads the model.
   */
  related: call(
    z.strictObject({ identifiers: identifiersSchema, query: text(LIMITS.query), budget, shown: z.array(idSchema) }),
    async ({ engine }, { identifiers, query, budget: room, shown }): Promise<Block> => {
      const { totalCount } = await engine.list({ identifiers, limit: 1 })
      if (totalCount <= shown.length) return { text: '', entries: [], omitted: [], available: 0 }
      const { results } = await engine.search({ identifiers, query, order: 'relevance', limit: MOST_RELATED })
      const known = new Set(shown)
      const others = results.filter(({ memory }) => !known.has(memory.id))
      const rendered = renderQuery(others, { now: new Date(), budget: room })
      const { text: block, included, omitted } = rendered
      return { text: block, entries: toEntries(included), omitted: toOmitted(omitted), available: others.length }
    },
  ),
  /** What a session was shown while it worked, in order; with `whole` also what it was shown at its start. */
  live: call(
    z.strictObject({ identifiers: identifiersSchema, session: idSchema, whole: z.exactOptional(z.boolean()) }),
    async ({ engine }, { identifiers, session, whole = false }): Promise<LiveMemory[]> => {
      const { injections } = await engine.injections({ identifiers, session, limit: LIMITS.pageLimit })
      const shown = injections.filter(({ format }) => whole || isMomentFormat(format))
      const found = await Promise.all(shown.map(({ memory }) => engine.get(memory, { identifiers })))
      return shown.flatMap(({ format, at }, i) => {
        const memory = found[i]
        if (!memory) return []
        const { id, content, category, service } = memory
        return [{ id, content, category, service, moment: describeShowing(format), at: Date.parse(at) }]
      })
    },
  ),
  /** An agent's personality: the stored one, otherwise the built-in one, otherwise null. */
  profile: call(z.strictObject({ agent: name }), ({ engine }, { agent }) => engine.personality.profile(agent)),
  /** Answers once the models are loaded, which says nothing about how fast the store is. */
  warm: call(z.strictObject({}), async ({ engine }): Promise<null> => {
    await engine.warm()
    return null
  }),
  beginSession: call(sessionStartSchema.omit({ key: true }), async ({ engine }, start, key): Promise<null> => {
    await engine.beginSession({ ...start, ...keyed(key) })
    return null
  }),
  endSession: call(
    sessionEndSchema.omit({ key: true }).extend({ id: idSchema }),
    async ({ engine }, { id, ...end }, key): Promise<null> => {
      await engine.endSession(id, { ...end, ...keyed(key) })
      return null
    },
  ),
  recordShowing: call(
    showingSchema.omit({ key: true, everything: true }).extend({ identifiers: identifiersSchema }),
    async ({ engine }, showing, key): Promise<null> => {
      await engine.recordShowing({ ...showing, ...keyed(key) })
      return null
    },
  ),
  /** One observation with its own target: a spooled record is self-contained. */
  remember: call(
    rememberTargetSchema
      .pick({ layer: true, session: true, tier: true, offered: true })
      .extend({ candidate: candidateSchema, identifiers: identifiersSchema }),
    async ({ engine }, { candidate, ...target }, key): Promise<OutcomeSummary[]> => {
      const outcomes = await engine.remember([candidate], { ...target, ...keyed(key) })
      return outcomes.map(summarize)
    },
  ),
  record: call(
    z.strictObject({ event: workflowEventSchema, session: z.exactOptional(idSchema) }),
    async ({ engine }, { event, ...target }, key): Promise<OutcomeSummary[]> => {
      const { outcomes } = await engine.record(event, { ...target, ...keyed(key) })
      return outcomes.map(summarize)
    },
  ),
  /** Stops after about this many milliseconds, so that other requests get their turn. Call again while there is `more`. */
  deliver: call(z.strictObject({ ms: z.int().min(1).max(MOST_DELIVERY_MS) }), ({ deliver }, { ms }) => deliver(ms)),
}

export type CallName = keyof typeof CALLS
export type CallInput<Name extends CallName> = z.input<(typeof CALLS)[Name]['input']>
export type CallValue<Name extends CallName> = Awaited<ReturnType<(typeof CALLS)[Name]['run']>>

/** Carries out a call with external input. An unknown call or invalid input is INVALID_INPUT. */
export async function perform(
  served: Served,
  { call: called, input, key }: Omit<StoreRequest, 'id'>,
): Promise<unknown> {
  if (!Object.hasOwn(CALLS, called)) {
    throw invalidInput('call', `There is no call '${String(called).slice(0, 40)}'.`)
  }
  const { input: schema, run } = CALLS[called as CallName] as Call<z.ZodType, unknown>
  return run(served, parseInput(schema, input, called), key)
}

function toEntries(included: readonly { id: string; tokens: number }[]): Block['entries'] {
  return included.map(({ id, tokens }, position) => ({ memory: id, position, tokens }))
}

/** Enough to explain; a list of a thousand does not help. */
const MOST_OMITTED = 100

function toOmitted(omitted: readonly { id: string; reason: string }[]): Block['omitted'] {
  return omitted.slice(0, MOST_OMITTED).map(({ id, reason }) => ({ memory: id, reason }))
}

function summarize(outcome: Outcome): OutcomeSummary {
  const { kind, reason, content, category, service } = outcome
  const memory = 'memory' in outcome ? outcome.memory : null
  return {
    ...{ kind, reason, content, category, service },
    memory: memory?.id ?? null,
    confidence: memory?.confidence ?? null,
    held: kind === 'insert' && memory?.trust === 'quarantined',
    corrects: 'weakened' in outcome ? outcome.weakened.map((each) => each.content) : [],
  }
}
