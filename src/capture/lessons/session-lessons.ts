import type { Candidate } from '../../model/candidate.ts'
import { isRecord } from '../../text/json.ts'
import type { Step } from '../output-event.ts'
import { withoutPrivate } from '../private.ts'
import { shortFields } from '../tool-steps.ts'
import { findLessons } from './find-lessons.ts'
import { commandOf } from './step-parts.ts'
import { tellLesson } from './tell-lesson.ts'

const MOST_STEPS = 200
const MOST_LESSONS = 5

/** A tool call as a hook reports it. */
export function stepOf(call: { tool: string; input: unknown; ok: boolean; output: string }): Step {
  const { input, output } = call
  const fields = isRecord(input) ? input : typeof input === 'string' ? { command: input } : {}
  return { ...call, input: shortFields(fields), output: withoutPrivate(output) }
}

/**
 * The lessons of a running session, each as soon as the failed command works. If another command worked instead, the session
 * may still find a better one, so that is reported at its end.
 */
export class SessionLessons {
  readonly #steps: Step[] = []
  readonly #told = new Set<string>()

  take(step: Step): Candidate[] {
    this.#steps.push(step)
    if (this.#steps.length > MOST_STEPS) this.#steps.shift()
    if (!step.ok || commandOf(step) === null) return []
    const fresh = findLessons(this.#steps)
      .filter(({ changed }) => changed !== null)
      .map(tellLesson)
      .filter(({ content }) => !this.#told.has(content))
      .slice(0, MOST_LESSONS - this.#told.size)
    for (const { content } of fresh) this.#told.add(content)
    return fresh
  }
}
