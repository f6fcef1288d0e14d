import { z } from 'zod'
import type { Candidate } from '../model/candidate.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { type Identifiers, inferLayer, scopeOf } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import { repeatKey } from '../model/once-keys.ts'
import { type AddResult, memoriesOf, type Outcome } from '../model/outcome.ts'
import { parseInput } from '../model/parse.ts'
import type { Repeatable } from '../model/provider.ts'
import { bulkSchema, keySchema, newMemorySchema } from '../model/schema.ts'
import { resolveOwner } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { needsNoJudge } from './operator.ts'
import { storeExact } from './remember/exact.ts'
import { isPrivate } from './remember/landing.ts'
import type { Decided } from './remember/note.ts'
import { heldBefore } from './remember/past-review.ts'
import { prepare } from './remember/prepare.ts'
import type { Target } from './remember/target.ts'
import { weigh } from './remember.ts'
import { requireOwnSession } from './sessions.ts'

type Parsed = z.output<ReturnType<typeof newMemorySchema>>

/** Candidates decided together: from one session, and all weighed or all exact. */
interface Group {
  exact: boolean
  session: string | null
  identifiers: Identifiers
  candidates: Candidate[]
}

/** Candidates weighed at once, each compared with those before it, and their characters: as many as fit in one commit. */
const MOST_WEIGHED = 50
const MOST_CHARACTERS = 150_000

const keyArgument = z.strictObject({ key: keySchema })

/** Adds one observation: a repeat reinforces, a correction corrects. `exact`, and a place in a thread, store it as a separate memory. */
export async function add(core: Core, caller: Caller, input: unknown, options: Repeatable): Promise<AddResult> {
  const { key: given, ...fields } = options
  const { key } = parseInput(keyArgument, { key: given }, 'add')
  const schema = newMemorySchema(core.storage.capabilities.maxContentLength)
  const memory = parseInput(schema, withFields(input, fields), 'add')
  const [added] = await addAll(core, caller, [memory], key, 'add')
  return toResult(added!, isExact(memory))
}

/** A line of a thread records what was said there: "Thanks!" neither repeats nor corrects another line. */
function isExact({ exact, thread }: Parsed): boolean {
  return exact || thread !== null
}

/** A string is the content. The schema rejects anything else that is not an object. */
function withFields(input: unknown, fields: object): unknown {
  if (typeof input === 'string') return { ...fields, content: input }
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input, ...fields } : input
}

function allWithFields(inputs: unknown): unknown {
  return Array.isArray(inputs) ? inputs.map((input) => withFields(input, {})) : inputs
}

const optionsSchema = keyArgument.extend({ exact: z.boolean().optional() })

/** The same for many, in order. On a failure, the error's `details.stored` says how many are done. */
export async function bulkAdd(
  core: Core,
  caller: Caller,
  inputs: readonly unknown[],
  options: object,
): Promise<{ memories: Memory[]; outcomes: Outcome[] }> {
  const { key, exact } = parseInput(optionsSchema, options, 'bulkAdd')
  const schema = bulkSchema(newMemorySchema(core.storage.capabilities.maxContentLength))
  const { memories } = parseInput(schema, { memories: allWithFields(inputs) }, 'bulkAdd')
  const all = exact === undefined ? memories : memories.map((memory) => ({ ...memory, exact }))
  const outcomes = (await addAll(core, caller, all, key, 'bulkAdd')).map(({ outcome }) => outcome)
  return { memories: memoriesOf(outcomes), outcomes }
}

async function addAll(
  core: Core,
  caller: Caller,
  memories: readonly Parsed[],
  key: string | undefined,
  operation: 'add' | 'bulkAdd',
): Promise<Decided[]> {
  const groups = toGroups(memories.map((memory) => toItem(core, caller, memory)))
  for (const session of new Set(groups.map((group) => group.session)))
    if (session !== null) await requireOwnSession(core, caller, session)
  const [{ layer, identifiers }] = groups[0]!.candidates as [Candidate]
  const own = repeatKey(key, operation, caller.identifiers, layer, identifiers)
  const added: Decided[] = []
  for (const [i, { candidates, exact, session, identifiers }] of groups.entries()) {
    const target: Target = {
      identifiers,
      ...(session === null ? {} : { session }),
      ...(own === undefined ? {} : { key: `${own}.${i}` }),
    }
    let stored = added.length
    try {
      const prepared = await prepare(core, target, candidates, { exact, typed: needsNoJudge(core, caller) })
      const count = (more: number) => {
        stored += more
      }
      const decided = exact
        ? await storeExact(core, caller, prepared, target, count)
        : await weigh(core, caller, prepared, target)
      added.push(...decided)
    } catch (error) {
      throw operation === 'bulkAdd' ? partly(error, stored) : error
    }
  }
  return added
}

/** A memory as a candidate. A known caller writes under its own identity. */
function toItem(
  core: Core,
  caller: Caller,
  memory: Parsed,
): { candidate: Candidate; session: string | null; exact: boolean } {
  const { exact: _, session, layer: asked, identifiers: given, ...fields } = memory
  const identifiers = caller.identifiers === null ? given : resolveOwner(caller, given)
  const stays = identifiers.agentId !== undefined && isPrivate(core, caller, identifiers)
  const layer = asked ?? (stays ? 'agent' : inferLayer(identifiers))
  scopeOf(layer, identifiers)
  return { candidate: { ...fields, layer, identifiers }, session, exact: isExact(memory) }
}

/** Keeps neighbours that can be decided together in one group, in order. */
function toGroups(items: readonly ReturnType<typeof toItem>[]): Group[] {
  const groups: Group[] = []
  let characters = 0
  for (const { candidate, session, exact } of items) {
    const { agentId } = candidate.identifiers!
    // Without a session, only the agent matters.
    const speaker = agentId === undefined ? {} : { agentId }
    const identifiers = session === null ? speaker : candidate.identifiers!
    const last = groups.at(-1)
    const fits =
      last !== undefined &&
      last.exact === exact &&
      last.session === session &&
      (exact || (last.candidates.length < MOST_WEIGHED && characters + candidate.content.length <= MOST_CHARACTERS)) &&
      JSON.stringify(last.identifiers) === JSON.stringify(identifiers)
    characters = candidate.content.length + (fits ? characters : 0)
    if (fits) last.candidates.push(candidate)
    else groups.push({ exact, session, identifiers, candidates: [candidate] })
  }
  return groups
}

/** An addition must result in a memory; otherwise it is an error. */
function toResult({ outcome, embeddingGenerated }: Decided, exact: boolean): AddResult {
  const { reason, redactions, flags } = outcome
  if (outcome.kind === 'refuse') throw invalidInput('content', `Not stored: ${reason}.`)
  const review = outcome.kind === 'duplicate' ? outcome.review : undefined
  if (review !== undefined && (exact || outcome.memory === null)) throw heldBefore({ review, memory: outcome.memory })
  if (outcome.memory === null) throw new MemoryError('CONFLICT', `Not stored: ${reason}.`)
  return {
    memory: outcome.memory,
    embeddingGenerated,
    outcome: outcome.kind,
    reason,
    weakened: 'weakened' in outcome ? outcome.weakened : [],
    redactions,
    flags,
    ...(review === undefined ? {} : { review }),
  }
}

/** Adds to an error how much of a bulk write is stored, so that the caller can continue. */
function partly(error: unknown, stored: number): unknown {
  if (!MemoryError.is(error)) {
    const message = error instanceof Error ? error.message : String(error)
    return new MemoryError('PROVIDER_ERROR', `The store failed: ${message}`, {
      details: { stored },
      retryable: false,
      cause: error,
    })
  }
  const { code, message, details, retryable, cause } = error
  return new MemoryError(code, message, { details: { ...details, stored }, retryable, cause })
}
