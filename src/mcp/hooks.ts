import { SessionLessons } from '../capture/lessons/session-lessons.ts'
import type { Step } from '../capture/output-event.ts'
import type { OwnMemories } from '../engine/nokosu.ts'
import type { Moment } from '../model/moment.ts'

/** Events of Claude Code whose hooks call `memory_recall`. */
export const HOOK_EVENTS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SessionStart',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** Moments that can be switched off. */
export type HookMoment = 'prompt' | 'tool' | 'failure' | 'output'

export interface HookSettings {
  moments: Record<HookMoment, boolean>
  /** Whether to draw lessons from tools that failed and later worked. */
  lessons: boolean
  /** After this long a hook gets an empty answer. */
  timeoutMs: number
  /** A run's own session replaces the agent's. */
  session: string | null
  /** Another server answers this session's hooks. */
  isSilent: boolean
  /** Settles when the models are loaded. Until then, being late does not mean that the store is slow. */
  loading: Promise<unknown>
  onProblem(error: Error): void
}

/** Maximum time that an agent waits. */
export const HOOK_MS = 300

const DEFAULTS: HookSettings = {
  moments: { prompt: true, tool: true, failure: true, output: true },
  lessons: true,
  timeoutMs: HOOK_MS,
  session: null,
  isSilent: false,
  loading: Promise.resolve(),
  onProblem: () => {},
}

export interface HookCall {
  event: HookEvent
  session: string | null
  /** Null if the hook contains nothing to look up. */
  moment: Moment | null
  /** A finished tool call. */
  step?: Step | null
}

/** The caller. `client` distinguishes clients whose sessions have the same name. */
interface Asker {
  client: string
  open(intent: 'recall' | 'write'): Promise<OwnMemories>
}

interface Known {
  prompt: string
  /** The session's first prompt has been recorded. */
  isAsked: boolean
  /** The prompt's own hook timed out; the next hook returns its memories. */
  isOwed: boolean
  lessons: SessionLessons
}

const MOST_SESSIONS = 500
/** After this many consecutive timeouts, hooks no longer wait that long. */
const MOST_MISSED = 3
const PAUSE_MS = 60_000
const NOTHING = '{}'

/**
 * Answers Claude Code's hooks with relevant memories, as the text that a command hook would print. A hook never
 * blocks: if the store is slow or fails, the answer is empty.
 */
export class Hooks {
  readonly #settings: HookSettings
  readonly #known = new Map<string, Known>()
  #isLoaded = false
  #missed = 0
  #pausedUntil = 0

  constructor(settings: Partial<HookSettings> = {}) {
    this.#settings = { ...DEFAULTS, ...settings }
    const loaded = () => {
      this.#isLoaded = true
    }
    this.#settings.loading.then(loaded, loaded)
  }

  async answer(asker: Asker, call: HookCall): Promise<string> {
    const { isSilent, timeoutMs, onProblem } = this.#settings
    if (isSilent) return NOTHING
    this.#learn(asker, call)
    if (performance.now() < this.#pausedUntil) return NOTHING
    const end = performance.now() + timeoutMs
    try {
      const opening = asker.open('recall')
      const memories = await soon(opening, timeoutMs)
      const text = memories === null ? null : await this.#recall(memories, asker.client, call, end)
      this.#count(text !== null)
      return text ? toOutput(call.event, text) : NOTHING
    } catch (error) {
      this.#count(false)
      onProblem(error as Error)
      return NOTHING
    }
  }

  /** Not awaited. A run captures everything itself, and without a session nothing is stored. */
  #learn({ client, open }: Asker, { session, step }: HookCall): void {
    const { lessons, session: run, onProblem } = this.#settings
    if (!lessons || run !== null || session === null || !step) return
    const learned = this.#know(JSON.stringify([client, session])).lessons.take(step)
    if (learned.length === 0) return
    open('write')
      .then((memories) => memories.remember(learned, { session }))
      .catch(onProblem)
  }

  /** Null after a timeout. */
  async #recall(memories: OwnMemories, client: string, call: HookCall, end: number): Promise<string | null> {
    const session = this.#settings.session ?? call.session
    const known = this.#know(JSON.stringify([client, session]))
    const texts: string[] = []
    for (const { moment, forgotten } of this.#momentsOf(call, known)) {
      const boundMs = Math.floor(end - performance.now())
      if (boundMs < 1) return null
      const request = { moment, forgotten, boundMs, ...(session === null ? {} : { session }) }
      const { text, late } = await memories.recall(request)
      if (late) return texts.join('\n') || null
      if (moment.kind === 'prompt') known.isOwed = false
      if (text !== '') texts.push(text)
    }
    this.#ask(memories, session, call, known)
    return texts.join('\n')
  }

  /** Records a session's first prompt, once. Not awaited. */
  #ask(memories: OwnMemories, session: string | null, { moment }: HookCall, known: Known): void {
    if (session === null || moment?.kind !== 'prompt' || moment.text.trim() === '' || known.isAsked) return
    known.isAsked = true
    memories.beginSession({ id: session, prompt: moment.text }).catch(this.#settings.onProblem)
  }

  /** The query of a hook: its moment, preceded by a prompt that has not been answered yet. */
  #momentsOf({ event, moment }: HookCall, known: Known): { moment: Moment; forgotten: boolean }[] {
    const { moments } = this.#settings
    if (event === 'SessionStart') {
      // A compaction drops what earlier moments showed, so the prompt's memories are shown again.
      known.isOwed = true
      return [{ moment: { kind: 'prompt', text: moments.prompt ? known.prompt : '' }, forgotten: true }]
    }
    if (moment?.kind === 'prompt') {
      known.prompt = moment.text
      known.isOwed = moments.prompt
      return moments.prompt ? [{ moment, forgotten: false }] : []
    }
    const isShown = moment !== null && moment.kind !== 'task' && moments[moment.kind]
    const owed: Moment[] = known.isOwed ? [{ kind: 'prompt', text: known.prompt }] : []
    return [...owed, ...(isShown ? [moment] : [])].map((each) => ({ moment: each, forgotten: false }))
  }

  #know(key: string): Known {
    const known = this.#known.get(key) ?? { prompt: '', isAsked: false, isOwed: false, lessons: new SessionLessons() }
    this.#known.delete(key)
    this.#known.set(key, known)
    if (this.#known.size > MOST_SESSIONS) this.#known.delete(this.#known.keys().next().value!)
    return known
  }

  /** An unresponsive store costs a session a few hooks, not every one. */
  #count(isAnswered: boolean): void {
    if (!this.#isLoaded) return
    this.#missed = isAnswered ? 0 : this.#missed + 1
    if (this.#missed < MOST_MISSED) return
    this.#missed = 0
    this.#pausedUntil = performance.now() + PAUSE_MS
  }
}

/** A promise's result, or null if it takes longer. */
async function soon<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function toOutput(hookEventName: HookEvent, additionalContext: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } })
}
