import { MemoryError } from '../model/errors.ts'
import type { Memory } from '../model/memory.ts'
import type { Caller, Core } from './core.ts'

type Run = Pick<Core, 'insideRun'>
type Who = Pick<Caller, 'identifiers' | 'agent' | 'seesHeld' | 'anonymous'>

/** Whether the caller may be an operator: no agent, run or task, and nothing that an agent starts inside its run. */
export function isOperator({ insideRun }: Run, { identifiers, agent }: Who): boolean {
  const { agentId, sessionId, taskId } = identifiers ?? {}
  return !insideRun && agent !== true && agentId === undefined && sessionId === undefined && taskId === undefined
}

/**
 * What an operator wrote or accepted is not an agent's to change or remove: new words would carry the operator's trust, or hide it. Whoever
 * lets callers in knows who is an agent (`agent`): somebody with a token may name the agent whose memories they tend.
 */
export function requireMayChange(core: Run, caller: Who, { id, trust, pinned }: Memory): void {
  if (caller.anonymous) {
    throw new MemoryError('UNAUTHORIZED', 'Changing or removing a memory needs a token, or the key of the operator.', {
      details: { id, hint: 'Add what is right as a new observation that ends with (was: what it says).' },
    })
  }
  if (!isAgent(core, caller) || (trust !== 'operator' && !pinned)) return
  const did = pinned ? 'pinned' : 'wrote or accepted'
  throw new MemoryError('UNAUTHORIZED', `An operator ${did} this memory, so an agent cannot change it.`, {
    details: { id, hint: 'Correct it with a new observation that ends with (was: what it says).' },
  })
}

/** A pin puts a memory before all others in every session: that is not an agent's to say. */
export function requireMayPin(core: Run, caller: Who, pinned: boolean | undefined): void {
  if (pinned !== undefined && isAgent(core, caller)) throw notOperator(core, 'pins and unpins memories')
}

function isAgent(core: Run, caller: Who): boolean {
  return core.insideRun || (caller.agent ?? !isOperator(core, caller))
}

/** Nor does anybody who does not review turn a memory into one that is held: it would be hidden, and gone when it is rejected. */
export function requireMayHold(core: Run, caller: Who, before: Memory, after: Memory): void {
  if (after.trust !== 'quarantined' || before.trust === 'quarantined' || seesHeld(core, caller)) return
  throw new MemoryError(
    'INVALID_INPUT',
    'Invalid change: it reads as an order to its reader. The memory stays as it was.',
    { details: { id: before.id } },
  )
}

/**
 * Whether what is held for review exists for the caller. Whoever lets callers in knows who they are, whatever they ask for: an operator
 * may look at what an agent left, and a token that is not an operator’s may name no agent.
 */
export function seesHeld(core: Run, caller: Who): boolean {
  return !core.insideRun && (caller.seesHeld ?? isOperator(core, caller))
}

/** Whose own words need no judge: an operator who could accept them in the next moment. */
export function needsNoJudge(core: Run, caller: Who): boolean {
  return isOperator(core, caller) && seesHeld(core, caller)
}

/** An agent cannot vouch for what agents say, make itself an operator with a token, nor do to a whole store what only its owner may. */
export function requireOperator(core: Run, caller: Who, what: string): void {
  if (!isOperator(core, caller)) throw notOperator(core, what)
}

/** Nor decide on what is held, nor on what is believed. */
export function requireReviewer(core: Run, caller: Who, what = 'reviews what is held back'): void {
  if (!seesHeld(core, caller)) throw notOperator(core, what)
}

function notOperator({ insideRun }: Run, what: string): MemoryError {
  const hint = insideRun ? { hint: 'This is inside a run (NOKOSU_SESSION is set). Use your own terminal.' } : {}
  return new MemoryError('UNAUTHORIZED', `Only an operator ${what}.`, { details: hint })
}
