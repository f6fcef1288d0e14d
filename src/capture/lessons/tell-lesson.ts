import type { Candidate } from '../../model/candidate.ts'
import type { Category } from '../../model/categories.ts'
import { DEFAULT_IMPORTANCE, LESSON_CONFIDENCE } from '../../model/memory.ts'
import { shortenAtWord } from '../../text/shorten.ts'
import type { Lesson } from './find-lessons.ts'

const MAX_COMMAND = 200
const MAX_ERROR = 120

/**
 * Words a lesson as an observation. Only the agent's own commands and paths become statements. Tool output is quoted, briefly,
 * and only if it reads as an error and nothing else.
 */
export function tellLesson({ failed, worked, changed, error, evidence }: Lesson): Candidate {
  const quoted = quotable(error)
  const fails = quoted === null ? `${code(failed)} fails` : `${code(failed)} fails with "${quoted}"`
  const content =
    changed?.kind === 'limit'
      ? `${code(failed)} takes longer than ${changed.text}.`
      : changed === null
        ? `${fails}; ${code(worked)} works.`
        : changed.kind === 'wait'
          ? `${fails} at first; it worked after a wait of ${changed.text}.`
          : changed.kind === 'file'
            ? `${fails} until ${code(changed.text)} was changed.`
            : `${fails} until ${code(changed.text)} has run.`
  return {
    content,
    category: categoryOf(changed),
    service: null,
    source: 'observed',
    tags: [],
    metadata: {
      observed: {
        failed: shortenAtWord(failed, MAX_COMMAND),
        worked: shortenAtWord(worked, MAX_COMMAND),
        steps: evidence,
      },
    },
    anchor: null,
    importance: DEFAULT_IMPORTANCE,
    // Unverified until it recurs or helps.
    confidence: LESSON_CONFIDENCE,
  }
}

function categoryOf(changed: Lesson['changed']): Category {
  if (changed === null) return 'remediation'
  return changed.kind === 'wait' || changed.kind === 'limit'
    ? 'timing'
    : changed.kind === 'file'
      ? 'behavior'
      : 'dependency'
}

function code(text: string): string {
  return `\`${shortenAtWord(text.replace(/[\s`]+/g, ' ').trim(), MAX_COMMAND)}\``
}

/** Words that address the reader. An error that contains one is not quoted. */
const TALKS =
  /\b(?:you|yours?|we|please|always|never|ignore|disregard|remember|agents?|assistant|instructions?|operator|approved|approval|human|prompt|policy|from now on|do not|don't|instead|important|maintainers?|recommended?)\b|https?:|[[`<>]/i

function quotable(error: string): string | null {
  if (error === '' || TALKS.test(error) || /\S{80}/.test(error)) return null
  return shortenAtWord(error.replace(/["“”]/g, "'"), MAX_ERROR)
}
