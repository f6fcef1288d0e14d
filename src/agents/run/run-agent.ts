import { constants } from 'node:os'
import { ulid } from 'ulidx'
import type { CaptureOptions } from '../../capture/capture.ts'
import { withoutMarkers } from '../../capture/markers.ts'
import { cleanPrompt } from '../../guard/clean-prompt.ts'
import { ERROR_CODES } from '../../model/errors.ts'
import { landingLayer } from '../../model/landing.ts'
import { scopeOf } from '../../model/layer.ts'
import type { Session } from '../../model/records.ts'
import type { CallInput } from '../../remote/protocol.ts'
import { defaultProfile, type Profile, renderPersonality } from '../personality.ts'
import { teachRecording } from '../read-prompt.ts'
import { isRole, readRolePrompt, usualRole } from '../role-prompt.ts'
import type { WorkspaceContent } from '../workspace/content.ts'
import type { Delivery } from './deliver.ts'
import { deliverMemory } from './deliver-memory.ts'
import { findPrompt } from './find-prompt.ts'
import { gitIdentity, gitIdentityEnvironment } from './git-identity.ts'
import type { HookServer } from './live-hooks.ts'
import { bootstrapWorkspace, pushCommits } from './repository.ts'
import { runEnvironment } from './run-environment.ts'
import { runExtraction } from './run-extraction.ts'
import type { RunOptions } from './run-options.ts'
import { type AgentEnd, runProcess } from './run-process.ts'
import { describeRefusal, outcomeOf, type RunReport, refusalsOf, shorten } from './run-report.ts'
import { RunStore, type Shown, type StoreReport } from './run-store.ts'
import { SignalRelay } from './signals.ts'

/**
 * One run of an agent, from preparing its workspace to storing what it learned. The store never blocks it: the run does without
 * answers that come too late, and spools what the store does not accept. Whatever happens, the workspace ends
 * as it was.
 */
export async function runAgent(options: RunOptions): Promise<RunReport> {
  scopeOf(options.layer ?? landingLayer('learning', options.identifiers), options.identifiers)
  const relay = new SignalRelay()
  try {
    return await new Run(options, relay).run()
  } finally {
    relay.close()
  }
}

/** How often to check whether the agent has received its memory. */
const LOOK_MS = 200
/** Exit codes by which shells, and other wrappers, report that they could not start a program. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127])
const UNREAD =
  'Claude Code was not started with a prompt, and no program read NOKOSU_CONTEXT_FILE. Use --inject files, or start Claude Code with --append-system-prompt-file "$NOKOSU_CONTEXT_FILE"'

class Run {
  readonly #options: RunOptions
  readonly #relay: SignalRelay
  readonly #session: Session
  readonly #store: RunStore
  #isCloned = false
  #offered: { shown: Shown; format: 'file' | 'operational'; delivery: Delivery } | null = null
  #isLive = false
  /** Whether the memory has arrived; null until known. */
  #isShown: boolean | null = null
  /** Cleanup for when the agent has ended, run in reverse order. */
  readonly #cleanups: (() => Promise<unknown>)[] = []

  constructor(options: RunOptions, relay: SignalRelay) {
    const { identifiers, layer, tier, role } = options
    const id = options.session ?? ulid()
    this.#options = { ...options, env: runEnvironment(options.env, identifiers) }
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
        ...(options.about === undefined ? {} : { about: options.about }),
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
    const { env, end } = await this.#work().finally(() => this.#restore())
    if (end.failure !== null) warn(end.failure)
    const refused = refusalsOf(end.captured)
    const refusals = refused.map(describeRefusal)
    for (const problem of [...shorten(refusals), ...(end.captured?.warnings ?? [])]) warn(problem)
    const pushed = await this.#push(env)
    const outcome = outcomeOf(end)
    const endedAt = new Date().toISOString()
    if (this.#isLive) await this.#store.readLive()
    const { used, confirmed } = end.captured?.made(this.#store.shown) ?? { used: [], confirmed: [] }
    for (const candidate of confirmed) this.#store.remember(candidate)
    await this.#extract(end, outcome)
    const ended: Session = { ...this.#session, endedAt, exitCode: end.exitCode, outcome }
    const report = await this.#store.finish(
      { id: ended.id, exitCode: end.exitCode, outcome, at: endedAt, ...(used.length === 0 ? {} : { used }) },
      refused,
    )
    this.#tell(report)
    const exitCode = end.exitCode === 0 && pushed.failed ? ERROR_CODES.PROVIDER_ERROR.exit : end.exitCode
    trace('7', `${exitCode} (${outcome})`)
    const counts = { shown: report.shownMemories.length, offered: report.offeredMemories.length }
    return { ...report, ...counts, exitCode, session: ended, refusals, pushed: pushed.what }
  }

  async #work() {
    const { env, command } = await this.#prepare()
    const looking = setInterval(() => this.#confirm(), LOOK_MS)
    try {
      const end = await this.#invoke(command, env)
      this.#confirm(end)
      return { env, end }
    } finally {
      clearInterval(looking)
    }
  }

  /** Counts memories as shown once they are known to have arrived. At the end, reports if Claude Code did not receive them. */
  #confirm(end?: AgentEnd, said = false): void {
    if (this.#offered === null || this.#isShown !== null) return
    const { shown, delivery } = this.#offered
    const started = end === undefined || (end.failure === null && !NOT_STARTED.has(end.exitCode))
    const isShown = started && delivery.confirmed(said || end !== undefined)
    if (!isShown && end === undefined) return
    this.#isShown = isShown
    if (isShown) this.#store.recordShown(shown, this.#offered.format)
    else if (started && delivery.isExpected && shown.entries.length > 0)
      this.#options.warn(`memory was not delivered: ${UNREAD}`)
  }

  /** Step 1. Returns a report only if a signal ends the run before anything has started. */
  async #bootstrap(): Promise<RunReport | null> {
    try {
      const { detail, isCloned } = await bootstrapWorkspace({ ...this.#options, signal: this.#relay.cancelled })
      this.#isCloned = isCloned
      this.#options.trace('1', detail)
      return null
    } catch (error) {
      const signal = this.#relay.received
      if (signal === null) throw error
      const exitCode = 128 + constants.signals[signal]
      const nothing: StoreReport = {
        outcomes: [],
        spooled: 0,
        lost: 0,
        redacted: 0,
        shownMemories: [],
        offeredMemories: [],
      }
      const session = { ...this.#session, exitCode }
      return { ...nothing, exitCode, session, shown: 0, offered: 0, refusals: [], pushed: null }
    }
  }

  async #prepare(): Promise<{ env: NodeJS.ProcessEnv; command: string[] }> {
    const { identifiers, trace, warn, env } = this.#options
    const { agentId } = identifiers
    const asked = findPrompt(this.#options.command)
    const start = sessionStart(this.#session, asked)
    const asking = this.#store.begin(start, agentId === undefined ? 'operational' : 'file', asked)
    const instructions = await this.#instructions()
    const shown = await asking
    const profile = agentId === undefined ? null : (shown?.personality ?? defaultProfile(agentId))
    trace('2b', profile === null ? 'none' : `${profile.displayName}${profile.updatedAt === null ? ' (default)' : ''}`)
    const own = { ...env, ...this.#variables() }
    const text = `${profile === null ? '' : renderPersonality(profile)}${instructions}`
    // If nothing is remembered, the hooks ask for nothing.
    const hooks = shown === null || shown.isEmpty ? null : (this.#options.hooks ?? null)
    this.#isLive = hooks !== null
    const delivery = await this.#deliver({ instructions: text, memory: shown?.text ?? '' }, own, hooks)
    if (delivery.failure !== null) warn(`memory cannot be delivered: ${delivery.failure}`)
    else if (shown !== null) {
      this.#offered = { shown, format: agentId === undefined ? 'operational' : 'file', delivery }
      this.#store.offer(shown.memories)
    }
    const count = delivery.failure === null ? shown?.entries.length : 0
    trace('2c', shown === null ? 'unknown' : `${count} of ${shown.available}`)
    const identity = this.#identity(profile)
    trace('4', delivery.detail)
    return { env: { ...own, ...identity, ...delivery.env }, command: delivery.command }
  }

  /** Outside the workspace, unless files are requested or the workspace is ours. */
  #deliver(content: WorkspaceContent, env: NodeJS.ProcessEnv, hooks: HookServer | null): Promise<Delivery> {
    const { agent, role } = this.#session
    const file = this.#options.inject ?? (this.#isCloned ? 'CLAUDE.md' : null)
    return deliverMemory({
      ...this.#options,
      content,
      file,
      env,
      hooks,
      holder: agent ?? role ?? 'a run',
      cleanUp: (cleanup) => this.#cleanups.push(cleanup),
    })
  }

  async #instructions(): Promise<string> {
    const { instructions, trace, remember, command } = this.#options
    const { role } = this.#session
    const text = instructions ?? (role !== null && isRole(role) ? await readRolePrompt(role) : '')
    trace('2', text === '' ? 'none' : instructions === undefined ? `of the ${role}` : 'as given')
    return remember ? teachRecording(text, command) : text
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

  /** Tells hooks and tools inside the run that they are part of it. */
  #variables(): Record<string, string> {
    const { id, agent, project } = this.#session
    return {
      NOKOSU_SESSION: id,
      ...(agent === null ? {} : { NOKOSU_AGENT: agent }),
      ...(project === null ? {} : { NOKOSU_PROJECT: project }),
    }
  }

  async #invoke(command: string[], env: NodeJS.ProcessEnv): Promise<AgentEnd> {
    const { workspace, interactive, output, errors, capture, trace, remember } = this.#options
    const stopped = this.#relay.received
    if (stopped !== null) {
      trace('5', `not started: ${stopped}`)
      return { exitCode: 128 + constants.signals[stopped], signal: stopped, failure: null, captured: null }
    }
    trace('5', command[0]!)
    const onCandidate: NonNullable<CaptureOptions['onCandidate']> = (candidate) => {
      this.#confirm(undefined, true)
      if (remember) this.#store.remember(candidate)
    }
    const read = { ...capture, onCandidate, told: this.#asked() }
    return runProcess({ command, cwd: workspace, env, interactive, output, errors, capture: read }, this.#relay)
  }

  /** What the caller tells the agent, without the memories that an orchestrator has put into its prompt. */
  #asked(): string {
    const { shown } = this.#store.known
    const asked = findPrompt(this.#options.command) ?? ''
    return shown.reduce((text, { content }) => text.replaceAll(content, ''), asked)
  }

  async #restore(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) {
      await cleanup().catch((error: Error) =>
        this.#options.warn(`the workspace could not be restored: ${error.message}`),
      )
    }
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
    const said = withoutMarkers(captured?.assistantText ?? '').trim()
    if (extraction === null || !remember) return trace('6b', 'off')
    // Stopping a run stops all of it.
    if (this.#relay.received !== null || failure !== null) return trace('6b', 'skipped: the run was stopped')
    const { learnings, detail, warnings } = await runExtraction(
      { said, exitCode, outcome, ...this.#store.known },
      { ...extraction, command, env, signal: this.#relay.cancelled },
    )
    for (const warning of warnings) warn(warning)
    for (const learning of learnings) this.#store.remember(learning)
    trace('6b', detail)
  }

  #tell({ spooled, lost, redacted }: StoreReport): void {
    const { warn } = this.#options
    if (redacted > 0) warn(`redacted ${redacted} secret(s) before storing`)
    const { why } = this.#store
    if (spooled > 0) warn(`${spooled} observation(s) are spooled for the next run: ${why}`)
    if (lost > 0) warn(`${lost} observation(s) are lost, because the spool cannot be written either: ${why}`)
  }
}

/** The prompt may be spooled to a file: only its first line is kept, without secrets. */
function sessionStart(
  { id, agent, project, role, tier, startedAt }: Session,
  asked: string | null,
): CallInput<'beginSession'> {
  const known = { agent, project, role, tier, prompt: asked === null ? null : cleanPrompt(asked) }
  return { id, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)), at: startedAt }
}
