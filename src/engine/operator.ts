import { MemoryError } from '../model/errors.ts'
import type { Memory } from '../model/memory.ts'
import type { Caller, Core } from './core.ts'

type Run = Pick<Core, 'insideRun'>
type Who = Pick<Caller, 'identifiers' | 'agent' | 'seesHeld' | 'anonymous'>

/** Whether the caller may be an operator: not an agent, run or task, and not started by an agent inside its run. */
export function isOperator({ insideRun }: Run, { identifiers, agent }: Who): boolean {
  const { agentId, sessionId, taskId } = identifiers ?? {}
  return !insideRun && agent !== true && agentId === undefined && sessionId === undefined && taskId === undefined
}

/**
 * Agents cannot change or remove what an operator wrote or accepted: new words would carry the operator's trust, or hide it. Code that
 * authenticates callers knows which are agents (`agent`): a token's holder may name the agent whose memories it maintains.
 */
export function requireMayChange(core: Run, caller: Who, { id, trust, pinned }: Memory): void {
  if (caller.anonymous) {
    throw new MemoryError('UNAUTHORIZED', 'Changing or removing a memory needs a token or the operator’s key.', {
      details: { id, hint: 'Add the correct fact as a new observation that ends with (was: what the memory says).' },
    })
  }
  if (!isAgent(core, caller) || (trust !== 'operator' && !pinned)) return
  const did = pinned ? 'pinned' : 'wrote or accepted'
  throw new MemoryError('UNAUTHORIZED', `An operator ${did} this memory, so an agent cannot change it.`, {
    details: { id, hint: 'Correct it with a new observation that ends with (was: what the memory says).' },
  })
}

/** A pin puts a memory first in every session, which is not up to an agent. */
export function requireMayPin(core: Run, caller: Who, pinned: boolean | undefined): void {
  if (pinned !== undefined && isAgent(core, caller)) throw notOperator(core, 'pins and unpins memories')
}

function isAgent(core: Run, caller: Who): boolean {
  return core.insideRun || (caller.agent ?? !isOperator(core, caller))
}

/** Callers without review rights cannot turn a memory into a held one: it would be hidden, and deleted if rejected. */
export function requireMayHold(core: Run, caller: Who, before: Memory, after: Memory): void {
  if (after.trust !== 'quarantined' || before.trust === 'quarantined' || seesHeld(core, caller)) return
  throw new MemoryError(
    'INVALID_INPUT',
    'Invalid change: it reads like an order to its reader. The memory was not changed.',
    { details: { id: before.id } },
  )
}

/**
 * Whether the caller may see held memories. Code that authenticates callers decides, whatever they ask for: an operator
 * may view an agent's memories, and a token without operator rights may name no agent.
 */
export function seesHeld(core: Run, caller: Who): boolean {
  return !core.insideRun && (caller.seesHeld ?? isOperator(core, caller))
}

/** Callers whose own words need no judgment: operators who could accept them right away. */
export function needsNoJudge(core: Run, caller: Who): boolean {
  return isOperator(core, caller) && seesHeld(core, caller)
}

/** Agents cannot vouch for agents, make themselves operators with a token, or run operations on a whole store. */
export function requireOperator(core: Run, caller: Who, what: string): void {
  if (!isOperator(core, caller)) throw notOperator(core, what)
}

/** Nor decide about held memories, or about what is believed. */
export function requireReviewer(core: Run, caller: Who, what = 'reviews what is held back'): void {
  if (!seesHeld(core, caller)) throw notOperator(core, what)
}

function notOperator({ insideRun }: Run, what: string): MemoryError {
  const hint = insideRun ? { hint: 'This is inside a run (NOKOSU_SESSION is set). Use your own terminal.' } : {}
  return new MemoryError('UNAUTHORIZED', `Only an operator ${what}.`, { details: hint })
}
