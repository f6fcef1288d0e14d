import { z } from 'zod'
import { warnOfWordsAlone } from '../lifecycle/words-alone.ts'
import { type Candidate, type CandidateInput, candidateSchema } from '../model/candidate.ts'
import { MemoryError } from '../model/errors.ts'
import { type Identifiers, requireIdentifier } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { repeatKey } from '../model/once-keys.ts'
import type { Outcome, Refusal } from '../model/outcome.ts'
import { parseInput } from '../model/parse.ts'
import type { Write } from '../storage/commit.ts'
import { resolveOwner } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { needsNoJudge } from './operator.ts'
import { Batch, HALVED } from './remember/batch.ts'
import { isPrivate } from './remember/landing.ts'
import { type Decided, decidedOf } from './remember/note.ts'
import { type Prepared, prepare } from './remember/prepare.ts'
import { type ParsedTarget, type RememberTarget, rememberTargetSchema, type Target } from './remember/target.ts'
import { sessionEvents } from './run-events.ts'
import { requireOwnSession } from './sessions.ts'

const candidatesArgument = z.strictObject({ candidates: z.array(candidateSchema).max(LIMITS.bulk) })

/** Items of a person's list stored at once. */
const LIST_PART = 100

/** How often a decision is repeated after a conflict, and the longest wait before that. */
const MOST_TRIES = 60
const MOST_WAIT_MS = 20

/** Passes candidates through guard and admission, and stores the results. */
export async function remember(
  core: Core,
  caller: Caller,
  candidates: string | CandidateInput | readonly (string | CandidateInput)[],
  target: RememberTarget,
): Promise<Outcome[]> {
  const parsed = parseInput(rememberTargetSchema, target, 'remember')
  const given = toList(candidates)
  const all = parseInput(candidatesArgument, { candidates: given }, 'remember').candidates
  return rememberParsed(core, caller, placePlain(core, caller, given, all, parsed), parsed)
}

/** Findings that are not the agent's own learnings land where `add` puts them: with the project, if one is known. */
function placePlain(
  core: Core,
  caller: Caller,
  given: readonly unknown[],
  all: readonly Candidate[],
  target: ParsedTarget,
): Candidate[] {
  return all.map((candidate, i) => {
    const isPlain = (given[i] as CandidateInput).category === undefined && candidate.layer === undefined
    if (!isPlain || target.layer !== undefined) return candidate
    const identifiers = { ...landingIdentifiers(caller, target, [candidate]), ...candidate.identifiers }
    const isShared = identifiers.projectId !== undefined && !isPrivate(core, caller, identifiers)
    return isShared ? { ...candidate, layer: 'project' } : candidate
  })
}

/** One observation, or several; a string is the content of one. */
function toList(candidates: unknown): unknown[] {
  const all: unknown[] = Array.isArray(candidates) ? candidates : [candidates]
  return all.map((each) => (typeof each === 'string' ? { content: each } : each))
}

/** The same for parsed input, with other records to write in the same commit. */
export async function rememberParsed(
  core: Core,
  caller: Caller,
  candidates: readonly Candidate[],
  target: ParsedTarget,
  beside: Beside = NOTHING,
): Promise<Outcome[]> {
  const identifiers = landingIdentifiers(caller, target, candidates)
  if (target.session !== undefined) await requireOwnSession(core, caller, target.session)
  const key = repeatKey(target.key, 'remember', identifiers, target.session ?? null)
  const isList = target.source === 'manual' && target.session !== undefined
  const list = isList ? { list: new Set(candidates.map(({ content }) => content)) } : {}
  const own = { ...target, identifiers, private: isPrivate(core, caller, identifiers), key, ...list }
  // What an interrupted import has stored stays. A preview is whole: its later items must see the earlier ones.
  const isLong = isList && key === undefined && !target.dryRun && beside === NOTHING
  const size = isLong ? LIST_PART : Math.max(1, candidates.length)
  const outcomes: Outcome[] = []
  for (let at = 0; at === 0 || at < candidates.length; at += size) {
    const part = candidates.slice(at, at + size)
    const prepared = await prepare(core, own, part, { typed: needsNoJudge(core, caller) })
    outcomes.push(...(await weigh(core, caller, prepared, own, beside)).map(({ outcome }) => outcome))
  }
  return outcomes
}

/** Records that a capture writes with its memories, and its refused input. */
interface Beside {
  also: readonly Write[]
  refusals: readonly Refusal[]
}

const NOTHING: Beside = { also: [], refusals: [] }

/** Decides about guarded candidates and stores the results. */
export async function weigh(
  core: Core,
  caller: Caller,
  prepared: readonly Prepared[],
  target: Target,
  beside: Beside = NOTHING,
): Promise<Decided[]> {
  const decided = await weighPart(core, caller, prepared, target, beside)
  const warning = warnOfWordsAlone(decided.map(({ outcome }) => outcome.reason))
  if (warning !== null) core.log.warn({ session: target.session ?? null }, warning)
  return decided
}

/** A known caller writes under its own identity, and nowhere else. */
function landingIdentifiers(caller: Caller, target: ParsedTarget, candidates: readonly Candidate[]): Identifiers {
  for (const candidate of candidates) if (caller.identifiers !== null) resolveOwner(caller, candidate.identifiers)
  if (caller.identifiers === null) {
    const given = target.identifiers ?? {}
    // Without an owner nothing is remembered, not even an empty list.
    if (Object.keys(given).length === 0) requireIdentifier(target.layer ?? 'project', given)
    return given
  }
  return resolveOwner(caller, target.identifiers)
}

/** Decides and stores. A batch too large for one commit is halved, so that each decision stays atomic. */
async function weighPart(
  core: Core,
  caller: Caller,
  prepared: readonly Prepared[],
  target: Target,
  beside: Beside,
): Promise<Decided[]> {
  let taken: ReadonlySet<string> = new Set()
  for (let tries = 0; ; tries++) {
    const batch = new Batch(core, caller, target, taken)
    const outcomes = await batch.decide(prepared)
    const decided = outcomes.map((outcome, i) => decidedOf(outcome, prepared[i]!))
    if (target.dryRun) return decided
    const { also, refusals } = beside
    // A workflow event reports by itself what happened.
    const isTold = also.some(({ kind }) => kind === 'event')
    const told = isTold ? [] : sessionEvents(target.session, target.identifiers, core.now(), outcomes, refusals)
    const parts = batch.parts([...also, ...told])
    const isMuch = parts.length > 1 && prepared.length > 1
    const stored = isMuch
      ? await batch.commit(caller, [], HALVED, prepared)
      : await batch.commit(caller, parts, decided, prepared)
    if (stored === HALVED) return weighHalves(core, caller, prepared, target, beside)
    if (stored !== null) return stored
    // A neighbour was changed or deleted, or the same was said, in the meantime: decide again from the current state.
    if (tries >= MOST_TRIES) {
      throw new MemoryError('CONFLICT', 'Others kept changing the same memories. Try again.', { details: { tries } })
    }
    // Waits longer before each attempt.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tries, MOST_WAIT_MS)))
    taken = await batch.taken()
  }
}

async function weighHalves(
  core: Core,
  caller: Caller,
  prepared: readonly Prepared[],
  target: Target,
  beside: Beside,
): Promise<Decided[]> {
  const half = Math.ceil(prepared.length / 2)
  const part = (name: string) => ({ ...target, key: target.key === undefined ? undefined : `${target.key}.${name}` })
  const first = await weighPart(core, caller, prepared.slice(0, half), part('a'), beside)
  return [...first, ...(await weighPart(core, caller, prepared.slice(half), part('b'), NOTHING))]
}
