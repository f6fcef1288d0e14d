import type { Candidate } from '../../model/candidate.ts'
import type { Memory } from '../../model/memory.ts'
import { extracted } from '../captured.ts'
import type { Step } from '../output-event.ts'
import { commandParts, type Part } from './command-parts.ts'
import { closeness, partLike } from './find-lessons.ts'
import { commandOf, goalOf, limitOf } from './step-parts.ts'

/** A memory that a run was shown. */
export type ShownLesson = Pick<Memory, 'id' | 'content' | 'category' | 'service'>

/** As worded by `tellLesson`. A lesson about a file or a wait cannot be followed by a command. */
const TOLD = /^`([^`]+)` fails\b.*?(?: until `([^`]+)` has run|; `([^`]+)` works)\.$/
const TOOK_LONGER = /^`([^`]+)` takes longer than (\d+) s;/
/** How similar a command shortened to fit a lesson is to the full one. */
const SAME = 0.75

/**
 * Lessons that a run was shown, followed, and succeeded with at the first attempt, each as a confirming candidate. If the run
 * failed first, the lesson did not help; if it never tried the same, nothing is known.
 */
export function bearOut(steps: readonly Step[], shown: readonly ShownLesson[]): Candidate[] {
  return shown.flatMap((memory) => {
    const [, failed, remedy, works] = TOLD.exec(memory.content) ?? []
    const [, slow, limit] = TOOK_LONGER.exec(memory.content) ?? []
    const isFollowed =
      slow !== undefined
        ? gaveTime(steps, slow, Number(limit))
        : failed !== undefined && isBorneOut(steps, failed, remedy, works)
    if (!isFollowed) return []
    const { id, content, category, service } = memory
    return [extracted({ content, category, service, declares: { relation: 'confirms', text: content, memory: id } })]
  })
}

/** Whether the first attempt was given more time than the lesson calls too short, and succeeded. */
function gaveTime(steps: readonly Step[], command: string, tooShort: number): boolean {
  const goal = goalOf(command)
  const first = goal === null ? undefined : steps.find((step) => partLike(goal, commandOf(step) ?? '') !== null)
  return first?.ok === true && (limitOf(first) ?? Number.POSITIVE_INFINITY) > tooShort
}

function isBorneOut(
  steps: readonly Step[],
  failed: string,
  remedy: string | undefined,
  works: string | undefined,
): boolean {
  const goal = goalOf(failed)
  if (goal === null) return false
  const tried = (step: Step) => partLike(goal, commandOf(step) ?? '')
  const first = steps.findIndex((step) => tried(step) !== null)
  const step = steps[first]
  if (step === undefined || !step.ok) return false
  const part = tried(step)!
  if (works !== undefined) {
    const wanted = partLike(goal, works) ?? goalOf(works)
    return wanted !== null && isSame(wanted, part) && !isSame(goal, part, 1)
  }
  const wanted = goalOf(remedy ?? '')
  if (wanted === null) return false
  return steps
    .slice(0, first + 1)
    .some((each) => each.ok && commandParts(commandOf(each) ?? '').some((other) => isSame(wanted, other)))
}

function isSame(a: Part, b: Part, least = SAME): boolean {
  return a.env.join() === b.env.join() && closeness(a, b) >= least
}
