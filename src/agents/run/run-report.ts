import type { CaptureResult } from '../../capture/capture.ts'
import { cleanRefusal } from '../../guard/clean-refusal.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Refusal } from '../../model/outcome.ts'
import type { Session } from '../../model/records.ts'
import type { AgentEnd } from './run-process.ts'
import type { StoreReport } from './run-store.ts'

export interface RunReport extends StoreReport {
  /** The agent's exit code, or that of a failed push after a successful agent. */
  exitCode: number
  session: Session
  /** Memories that the agent was shown, and those that were offered without evidence that it read them. */
  shown: number
  offered: number
  /** Refused input that was not even an observation, with reasons. */
  refusals: string[]
  pushed: string | null
}

/** How a run ended: by a signal, as the agent reports, otherwise by its exit code. */
export function outcomeOf({ exitCode, signal, captured }: AgentEnd): string {
  if (signal !== null) return `killed (${signal})`
  const said = captured?.outcome
  if (said?.subtype) return said.isError && said.subtype === 'success' ? 'error' : said.subtype.slice(0, LIMITS.outcome)
  return exitCode === 0 ? 'success' : 'failure'
}

/** Output that could not be used. Repeats are not listed: agents often summarize. */
export function refusalsOf(captured: CaptureResult | null): Refusal[] {
  return (captured?.refusals ?? []).filter(({ reason }) => !reason.startsWith('The same memory')).map(cleanRefusal)
}

export function describeRefusal({ reason, line }: Refusal): string {
  return `not remembered${line === undefined ? '' : ` (line ${line})`}: ${reason}`
}

const MOST_PROBLEMS = 10

export function shorten(problems: readonly string[]): string[] {
  const more = problems.length > MOST_PROBLEMS ? [`and ${problems.length - MOST_PROBLEMS} more`] : []
  return [...problems.slice(0, MOST_PROBLEMS), ...more]
}
