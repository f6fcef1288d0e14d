import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { ulid } from 'ulidx'
import type { CaptureOptions, CaptureResult } from '../../capture/capture.ts'
import { redactSecrets } from '../../guard/redact-secrets.ts'
import { ERROR_CODES } from '../../model/errors.ts'
import { type Identifiers, type Layer, scopeOf } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Tier } from '../../model/memory.ts'
import type { Session } from '../../model/records.ts'
import type { StoreClient } from '../../remote/client.ts'
import type { CallInput } from '../../remote/protocol.ts'
import { defaultProfile, type Profile, renderPersonality } from '../personality.ts'
import { isRole, readRolePrompt, usualRole } from '../role-prompt.ts'
import { createHolder, type Holder, injectWorkspace, restoreWorkspace } from '../workspace/workspace.ts'
import { gitIdentity, gitIdentityEnvironment } from './git-identity.ts'
import { bootstrapWorkspace, pushCommits } from './repository.ts'
import { type RunExtraction, runExtraction } from './run-extraction.ts'
import { type AgentEnd, runProcess } from './run-process.ts'
import { RunStore, type Shown, type StoreReport } from './run-store.ts'
import { SignalRelay } from './signals.ts'
import { appendSystemPrompt } from './system-prompt.ts'
import type { Trace } from './trace.ts'

export interface RunOptions {
  /** The agent's command and its arguments. */
  command: readonly string[]
  /** With an agent its memory file and personality are injected; without, the project's memory ends the system prompt. */
  identifiers: Identifiers
  role?: string | undefined
  /** Text in place of the role's own. */
  instructions?: string | undefined
  /** Text that follows the memories at the end of the system prompt. */
  afterMemory?: string | undefined
  tier?: Tier | undefined
  layer?: Layer | undefined
  /** The session's id; a new one by default. */
  session?: string | undefined
  workspace: string
  repo?: string | undefined
  branch?: string | undefined
  push?: boolean | undefined
  /** Null: no second call. */
  extraction: RunExtraction | null
  /** False where memory is switched off: the agent runs and leaves nothing behind. */
  remember: boolean
  /** The caller's: several runs may share it. */
  store: StoreClient
  spoolFolders: readonly string[]
  boundMs: number
  capture: Pick<CaptureOptions, 'suggestions' | 'maxSummaryLength'>
  interactive: boolean
  output: Writable
  env: NodeJS.ProcessEnv
  trace: Trace
  warn(text: string): void
}

export interface RunReport extends StoreReport {
  /** The agent's own, or that of a failed push after an agent that succeeded. */
  exitCode: number
  session: Session
  /** Memories that the agent was shown. */
  shown: number
  pushed: string | null
}

/**
 * One run of an agent, from the bootstrap of its workspace to what it leaves behind. The store is never in the way: what it
 * does not answer in time is done without, and what it does not take goes to the spool. Whatever happens, the workspace is
 * as it was.
 */
export async function runAgent(options: RunOptions): Promise<RunReport> {
  scopeOf(options.layer ?? (options.identifiers.agentId === undefined ? 'project' : 'agent'), options.identifiers)
  const relay = new SignalRelay()
  try {
    return await new Run(options, relay).run()
  } finally {
    relay.close()
  }
}

class Run {
  readonly #options: RunOptions
  readonly #relay: SignalRelay
  readonly #session: Session
  readonly #store: RunStore

  constructor(options: RunOptions, relay: SignalRelay) {
    const { identifiers, layer, tier, role } = options
    const id = options.session ?? ulid()
    this.#options = options
    this.#relay = relay
    this.#session = {
      id,
      agent: identifiers.agentId ?? null,
      project: identifiers.projectId ?? null,
      tier: tier ?? null,
      role: role ?? (identifiers.agentId === undefined ? null : usualRole(identifiers.agentId)),
      startedAt: new Date().toISOString(),
      endedAt: null,
      exitCode: null,
      outcome: null,
    }
    this.#store = new RunStore({
      store: options.store,
      spoolFolders: options.spoolFolders,
      boundMs: options.boundMs,
      remember: options.remember,
      target: {
        identifiers,
        session: id,
        ...(layer === undefined ? {} : { layer }),
        ...(tier === undefined ? {} : { tier }),
      },
      warn: options.warn,
    })
  }

  async run(): Promise<RunReport> {
    const { trace, warn } = this.#options
    const stopped = await this.#bootstrap()
    if (stopped !== null) return stopped
    const holder = await createHolder(this.#session.agent ?? this.#session.role ?? 'a run')
    const { shown, env, command } = await this.#prepare(holder)
    const end = await this.#invoke(command, env).finally(() => this.#restore(holder))
    if (end.failure !== null) warn(end.failure)
    for (const problem of problemsOf(end.captured)) warn(problem)
    const pushed = await this.#push(env)
    const outcome = outcomeOf(end)
    const endedAt = new Date().toISOString()
    await this.#extract(end, outcome)
    const ended: Session = { ...this.#session, endedAt, exitCode: end.exitCode, outcome }
    const report = await this.#store.finish({ id: ended.id, exitCode: end.exitCode, outcome, at: endedAt })
    this.#tell(report)
    const exitCode = end.exitCode === 0 && pushed.failed ? ERROR_CODES.PROVIDER_ERROR.exit : end.exitCode
    trace('7', `${exitCode} (${outcome})`)
    return { ...report, exitCode, session: ended, shown: shown?.entries.length ?? 0, pushed: pushed.what }
  }

  /** Step 1. A report only where a signal ends the run before there is anything to run in. */
  async #bootstrap(): Promise<RunReport | null> {
    try {
      this.#options.trace('1', await bootstrapWorkspace({ ...this.#options, signal: this.#relay.cancelled }))
      return null
    } catch (error) {
      const signal = this.#relay.received
      if (signal === null) throw error
      const exitCode = 128 + constants.signals[signal]
      const nothing: StoreReport = { outcomes: [], spooled: 0, lost: 0, redacted: 0 }
      return { ...nothing, exitCode, session: { ...this.#session, exitCode }, shown: 0, pushed: null }
    }
  }

  /** Steps 2 to 4: everything that the agent finds when it starts. */
  async #prepare(holder: Holder): Promise<{ shown: Shown | null; env: NodeJS.ProcessEnv; command: string[] }> {
    const { identifiers, trace, warn, workspace, env, command } = this.#options
    const { agentId } = identifiers
    const asking = this.#store.begin(sessionStart(this.#session), agentId === undefined ? 'operational' : 'file')
    const instructions = await this.#instructions()
    const shown = await asking
    this.#store.deliverEarlier()
    const profile = agentId === undefined ? null : (shown?.personality ?? defaultProfile(agentId))
    trace('2b', profile === null ? 'none' : `${profile.displayName}${profile.updatedAt === null ? ' (default)' : ''}`)
    const memory = shown?.text ?? ''
    if (agentId !== undefined || instructions !== '') {
      const text = `${profile === null ? '' : renderPersonality(profile)}${instructions}`
      const content = { instructions: text, memory: agentId === undefined ? '' : memory }
      await injectWorkspace(workspace, content, { holder }).catch((error: Error) =>
        warn(`nothing could be put into the workspace: ${error.message}`),
      )
    }
    trace('2c', shown === null ? 'unknown' : `${shown.entries.length} of ${shown.available}`)
    const own = { ...env, ...this.#identity(profile), ...this.#variables(agentId === undefined ? memory : '') }
    const appended = [memory, this.#options.afterMemory ?? ''].filter((text) => text !== '').join('\n\n')
    const asked = agentId === undefined ? appendSystemPrompt(command, appended) : [...command]
    const same = asked.every((word, i) => word === command[i])
    trace('4', same ? 'as given' : 'memories appended to the system prompt')
    return { shown, env: own, command: asked }
  }

  async #instructions(): Promise<string> {
    const { instructions, trace } = this.#options
    const { role } = this.#session
    const text = instructions ?? (role !== null && isRole(role) ? await readRolePrompt(role) : '')
    trace('2', text === '' ? 'none' : instructions === undefined ? `of the ${role}` : 'as given')
    return text
  }

  #identity(profile: Profile | null): Record<string, string> {
    const { agent, role } = this.#session
    if (agent === null) {
      this.#options.trace('3', 'the caller’s own')
      return {}
    }
    const identity = gitIdentity(agent, profile?.displayName ?? null, role)
    this.#options.trace('3', `${identity.name} <${identity.email}>`)
    return gitIdentityEnvironment(identity, this.#options.env)
  }

  /** What hooks and tools inside the run need to know that they are part of it. */
  #variables(context: string): Record<string, string> {
    const { id, agent, project } = this.#session
    return {
      NOKOSU_SESSION: id,
      ...(agent === null ? {} : { NOKOSU_AGENT: agent }),
      ...(project === null ? {} : { NOKOSU_PROJECT: project }),
      ...(context === '' ? {} : { NOKOSU_CONTEXT: context }),
    }
  }

  async #invoke(command: string[], env: NodeJS.ProcessEnv): Promise<AgentEnd> {
    const { workspace, interactive, output, capture, trace, remember } = this.#options
    const stopped = this.#relay.received
    if (stopped !== null) {
      trace('5', `not started: ${stopped}`)
      return { exitCode: 128 + constants.signals[stopped], signal: stopped, failure: null, captured: null }
    }
    trace('5', command[0]!)
    const onCandidate: NonNullable<CaptureOptions['onCandidate']> = (candidate) => {
      if (remember) this.#store.remember(candidate)
    }
    return runProcess(
      { command, cwd: workspace, env, interactive, output, capture: { ...capture, onCandidate } },
      this.#relay,
    )
  }

  async #restore(holder: Holder): Promise<void> {
    await restoreWorkspace(this.#options.workspace, { holder }).catch((error: Error) =>
      this.#options.warn(`the workspace could not be restored: ${error.message}`),
    )
  }

  async #push(env: NodeJS.ProcessEnv): Promise<{ what: string | null; failed: boolean }> {
    const { push, trace, warn } = this.#options
    if (!push) {
      trace('6', 'not asked for')
      return { what: null, failed: false }
    }
    try {
      const what = await pushCommits({ ...this.#options, env, signal: this.#relay.cancelled })
      trace('6', what)
      return { what, failed: false }
    } catch (error) {
      const { message } = error as Error
      trace('6', 'failed')
      warn(`the commits were not pushed: ${message}`)
      return { what: null, failed: true }
    }
  }

  async #extract({ exitCode, captured, failure }: AgentEnd, outcome: string): Promise<void> {
    const { extraction, command, remember, env, trace, warn } = this.#options
    const said = captured?.assistantText.trim() ?? ''
    if (extraction === null || !remember) return trace('6b', 'off')
    // Who stops a run wants it to stop.
    if (this.#relay.received !== null || failure !== null) return trace('6b', 'left out: the run was stopped')
    const { learnings, detail, warnings } = await runExtraction(
      { said, exitCode, outcome },
      { ...extraction, command, env, signal: this.#relay.cancelled },
    )
    for (const warning of warnings) warn(warning)
    for (const learning of learnings) this.#store.remember(learning)
    trace('6b', detail)
  }

  #tell({ outcomes, spooled, lost, redacted }: StoreReport): void {
    const { warn } = this.#options
    for (const { kind, reason } of outcomes) if (kind === 'refuse') warn(`not remembered: ${reason}`)
    if (redacted > 0) warn(`${redacted} secret(s) were taken out of what is remembered`)
    const { why } = this.#store
    if (spooled > 0) warn(`${spooled} observation(s) wait in the spool for the next run: ${why}`)
    if (lost > 0) warn(`${lost} observation(s) are lost, the spool cannot be written either: ${why}`)
  }
}

/** What is known of a session when it begins. */
function sessionStart({ id, agent, project, role, tier, startedAt }: Session): CallInput<'beginSession'> {
  return {
    id,
    ...(agent === null ? {} : { agent }),
    ...(project === null ? {} : { project }),
    ...(role === null ? {} : { role }),
    ...(tier === null ? {} : { tier }),
    at: startedAt,
  }
}

function outcomeOf({ exitCode, signal, captured }: AgentEnd): string {
  if (signal !== null) return `killed (${signal})`
  const said = captured?.outcome
  if (said?.subtype) return said.isError && said.subtype === 'success' ? 'error' : said.subtype.slice(0, LIMITS.outcome)
  return exitCode === 0 ? 'success' : 'failure'
}

const MOST_PROBLEMS = 10

/** What the output held that could not be used. Repetitions are no problem: agents sum up. */
function problemsOf(captured: CaptureResult | null): string[] {
  if (captured === null) return []
  const refused = captured.refusals
    .filter(({ reason }) => !reason.startsWith('The same memory'))
    .map(
      ({ reason, line }) =>
        `not remembered${line === undefined ? '' : ` (line ${line})`}: ${redactSecrets(reason).text}`,
    )
  const more = refused.length > MOST_PROBLEMS ? [`and ${refused.length - MOST_PROBLEMS} more`] : []
  return [...refused.slice(0, MOST_PROBLEMS), ...more, ...captured.warnings]
}
