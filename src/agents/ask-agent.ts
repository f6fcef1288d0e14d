import { PassThrough } from 'node:stream'
import { HeadAndTail } from '../capture/head-and-tail.ts'
import { readOutput } from '../capture/read-output.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Tier } from '../model/memory.ts'
import { formatOf } from './run/output.ts'
import { runAgent } from './run/run-agent.ts'
import type { RunSettings } from './run/run-options.ts'
import type { RunReport } from './run/run-report.ts'

export interface AgentSetup extends RunSettings {
  /** The command line of an agent, with `{prompt}` where its prompt goes. */
  template: readonly string[]
  /** Receives one progress line: which agent is working, and what it says. */
  tell(line: string): void
  /** The exit code of the signal that asked everything to stop, or null. */
  interrupted(): number | null
}

export interface AgentQuestion {
  command: readonly string[]
  identifiers: Identifiers
  about?: Pick<Identifiers, 'taskId' | 'sectionId'>
  role: string
  beforeMemory?: string
  afterMemory?: string
  tier?: Tier
  session?: string
}

export interface AgentStep extends Pick<RunReport, 'exitCode' | 'shown' | 'spooled'> {
  agent: string | null
  role: string
  /** Null if it was not started because everything is to stop. */
  session: string | null
  outcome: string | null
  /** What became of each memory that the agent recorded. */
  memories: RunReport['outcomes']
}

export interface AgentAnswer {
  step: AgentStep
  /** The last answer, if the output shows which that is; otherwise the beginning and end of everything said. */
  said: string
}

/** Maximum characters kept of an answer. */
const MOST_SAID = 65_536

/** Runs one agent and reads its output. An agent that was asked to stop has failed, whatever it reports. */
export async function askAgent(setup: AgentSetup, question: AgentQuestion): Promise<AgentAnswer> {
  const { template: _, tell, interrupted, ...shared } = setup
  const { command, identifiers, role } = question
  const stopped = interrupted()
  if (stopped !== null) {
    const nothing = { session: null, outcome: null, shown: 0, spooled: 0, memories: [] }
    return { step: { agent: identifiers.agentId ?? null, role, exitCode: stopped, ...nothing }, said: '' }
  }
  tell(`== ${identifiers.agentId === undefined ? role : `${identifiers.agentId} (${role})`}`)
  const output = new PassThrough()
  const listening = listen(output, command, tell)
  let report: RunReport
  try {
    report = await runAgent({ ...shared, ...question, output, interactive: false })
  } finally {
    output.end()
  }
  const said = await listening
  const { session, shown, spooled, outcomes } = report
  const exitCode = report.exitCode === 0 ? (interrupted() ?? 0) : report.exitCode
  const step: AgentStep = {
    agent: session.agent,
    role,
    session: session.id,
    exitCode,
    outcome: session.outcome,
    shown,
    spooled,
    memories: outcomes,
  }
  return { step, said }
}

async function listen(output: PassThrough, command: readonly string[], tell: (line: string) => void): Promise<string> {
  const all = new HeadAndTail(MOST_SAID)
  let last: string | null = null
  for await (const event of readOutput(output, formatOf(command))) {
    if (event.kind === 'result') last = event.result
    if (event.kind !== 'text') continue
    all.add(`${event.text}\n`)
    for (const line of event.text.split('\n')) tell(line)
  }
  return (last || all.toString()).trim()
}
