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
import { Batch } from './remember/batch.ts'
import { type ParsedTarget, type RememberTarget, rememberTargetSchema, type Target } from './remember/target.ts'
import { captureEvent } from './run-events.ts'
import { requireOwnSession } from './sessions.ts'

const candidatesArgument = z.strictObject({ candidates: z.array(candidateSchema).max(LIMITS.bulk) })

const MOST_TRIES = 20

/** Takes candidates through guard and admit, and stores what comes of them. */
export async function remember(
  core: Core,
  caller: Caller,
  candidates: readonly CandidateInput[],
  target: RememberTarget,
  also: readonly Write[] = [],
  refusals: readonly Refusal[] = [],
): Promise<Outcome[]> {
  const parsed = parseInput(rememberTargetSchema, target, 'remember')
  const all = parseInput(candidatesArgument, { candidates }, 'remember').candidates
  const identifiers = landingIdentifiers(caller, parsed, all)
  if (parsed.session !== undefined) await requireOwnSession(core, caller, parsed.session)
  const key = repeatKey(parsed.key, 'remember', identifiers, parsed.session ?? null)
  const outcomes = await rememberPart(core, caller, all, { ...parsed, identifiers, key }, also, refusals)
  const warning = warnOfWordsAlone(outcomes.map(({ reason }) => reason))
  if (warning !== null) core.log.warn({ session: parsed.session ?? null }, warning)
  return outcomes
}

/** A caller who is known writes as what it is known by, and nowhere else. */
function landingIdentifiers(caller: Caller, target: ParsedTarget, candidates: readonly Candidate[]): Identifiers {
  for (const candidate of candidates) if (caller.identifiers !== null) resolveOwner(caller, candidate.identifiers)
  if (caller.identifiers === null) {
    const given = target.identifiers ?? {}
    // Nothing is remembered for nobody, not even an empty list.
    if (Object.keys(given).length === 0) requireIdentifier(target.layer ?? 'project', given)
    return given
  }
  return resolveOwner(caller, target.identifiers)
}

/** Decides and stores. What is too much for one commit is halved, so that each decision stays whole. */
async function rememberPart(
  core: Core,
  caller: Caller,
  candidates: readonly Candidate[],
  target: Target,
  also: readonly Write[],
  refusals: readonly Refusal[] = [],
): Promise<Outcome[]> {
  let taken: ReadonlySet<string> = new Set()
  for (let tries = 0; ; tries++) {
    const batch = new Batch(core, caller, target, taken)
    const outcomes = await batch.decide(candidates)
    if (target.dryRun) return outcomes
    // An event of a workflow tells by itself what happened.
    const isTold = also.some(({ kind }) => kind === 'event')
    const told = isTold ? [] : captureEvent(target.session, target.identifiers, core.now(), outcomes, refusals)
    const parts = batch.parts([...also, ...told])
    if (parts.length > 1 && candidates.length > 1) {
      return rememberHalves(core, caller, candidates, target, also, refusals)
    }
    const stored = await batch.commit(caller, parts, outcomes, candidates)
    if (stored !== null) return stored
    // Someone changed or deleted a neighbour, or said the same, meanwhile: decide anew on what is there now.
    if (tries >= MOST_TRIES) {
      throw new MemoryError('CONFLICT', 'Others kept changing the same memories. Try again.', { details: { tries } })
    }
    taken = await batch.taken()
  }
}

async function rememberHalves(
  core: Core,
  caller: Caller,
  candidates: readonly Candidate[],
  target: Target,
  also: readonly Write[],
  refusals: readonly Refusal[],
): Promise<Outcome[]> {
  const half = Math.ceil(candidates.length / 2)
  const part = (name: string) => ({ ...target, key: target.key === undefined ? undefined : `${target.key}.${name}` })
  const first = await rememberPart(core, caller, candidates.slice(0, half), part('a'), also, refusals)
  return [...first, ...(await rememberPart(core, caller, candidates.slice(half), part('b'), []))]
}
