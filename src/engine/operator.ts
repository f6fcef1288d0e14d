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

/** An agent cannot vouch for what agents say. */
export function requireOperator(
  core: Pick<Core, 'insideRun'>,
  caller: Pick<Caller, 'identifiers'>,
  what: string,
): void {
  if (isOperator(core, caller)) return
  const hint = core.insideRun ? { hint: 'This is inside a run (NOKOSU_SESSION is set). Use your own terminal.' } : {}
  throw new MemoryError('UNAUTHORIZED', `Only an operator ${what}.`, { details: hint })
}
