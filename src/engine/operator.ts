import { MemoryError } from '../model/errors.ts'
import type { Caller, Core } from './core.ts'

/** Whether the caller may be an operator: no agent, run or task, and nothing that an agent starts inside its run. */
export function isOperator(
  { insideRun }: Pick<Core, 'insideRun'>,
  { identifiers }: Pick<Caller, 'identifiers'>,
): boolean {
  const { agentId, sessionId, taskId } = identifiers ?? {}
  return !insideRun && agentId === undefined && sessionId === undefined && taskId === undefined
}

/**
 * Whether what is held for review exists for the caller. Whoever lets callers in knows who they are, whatever they ask for: an operator
 * may look at what an agent left, and a token that is not an operator’s may name no agent.
 */
export function seesHeld(core: Pick<Core, 'insideRun'>, caller: Pick<Caller, 'identifiers' | 'seesHeld'>): boolean {
  return !core.insideRun && (caller.seesHeld ?? isOperator(core, caller))
}

/** An agent cannot vouch for what agents say. */
export function requireOperator(
  core: Pick<Core, 'insideRun'>,
  caller: Pick<Caller, 'identifiers'>,
  what: string,
): void {
  if (!isOperator(core, caller)) throw notOperator(core, what)
}

/** Nor decide on what is held. */
export function requireReviewer(core: Pick<Core, 'insideRun'>, caller: Pick<Caller, 'identifiers' | 'seesHeld'>): void {
  if (!seesHeld(core, caller)) throw notOperator(core, 'reviews what is held back')
}

function notOperator({ insideRun }: Pick<Core, 'insideRun'>, what: string): MemoryError {
  const hint = insideRun ? { hint: 'This is inside a run (NOKOSU_SESSION is set). Use your own terminal.' } : {}
  return new MemoryError('UNAUTHORIZED', `Only an operator ${what}.`, { details: hint })
}
