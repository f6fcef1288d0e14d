import type { Step } from '../output-event.ts'
import { commandParts, type Part, waitsFor } from './command-parts.ts'
import { isFlaky, isOwnSlip, signatureOf } from './failure.ts'
import { commandOf, fileOf, goalOf, limitOf, ranOutOfTime, withTrueEnd } from './step-parts.ts'

export interface Lesson {
  /** The failed command, as typed. */
  failed: string
  /** The command that finally worked. */
  worked: string
  /** The step that made the difference, if it was another one. */
  changed: { kind: 'command' | 'file' | 'wait' | 'limit'; text: string } | null
  /** A short form of the error, as the tool printed it. Hostile until guarded. */
  error: string
  /** Indexes of the steps that show it. */
  evidence: number[]
}

/** Maximum steps between a failure and the success that explains it. */
const MOST_STEPS = 40
/** Share of its words that a command keeps when it is retried differently. */
const ALIKE = 0.4

/**
 * Finds stretches where something failed and later worked, and what made the difference. Skips typos, flaky networks, exploration
 * and the agent's own mistakes.
 */
export function findLessons(taken: readonly Step[]): Lesson[] {
  const steps = taken.map(withTrueEnd)
  const lessons: Lesson[] = []
  let from = 0
  for (let at = 0; at < steps.length; at++) {
    if (at < from || steps[at]!.ok || commandOf(steps[at]!) === null) continue
    const lesson = lessonFrom(steps, at)
    if (lesson === null) continue
    lessons.push(lesson)
    from = lesson.evidence.at(-1)! + 1
  }
  return lessons
}

interface Attempt {
  at: number
  part: Part
}

function lessonFrom(steps: readonly Step[], at: number): Lesson | null {
  const goal = goalOf(commandOf(steps[at]!)!)
  if (goal === null) return null
  const failures: Attempt[] = [{ at, part: goal }]
  let success: Attempt | null = null
  for (let i = at + 1; i < Math.min(steps.length, at + MOST_STEPS); i++) {
    const command = commandOf(steps[i]!)
    const part = command === null ? null : partLike(goal, command)
    if (part === null) continue
    if (!steps[i]!.ok) failures.push({ at: i, part })
    else if (success === null || closeness(goal, part) > closeness(goal, success.part)) success = { at: i, part }
  }
  if (success === null) return null
  const end = success.at
  while (failures.at(-1)!.at > end) failures.pop()
  const between = steps.slice(at + 1, success.at).map((step, i) => ({ step, at: at + 1 + i }))
  const error = signatureOf(steps[at]!.output)
  const looked = between.filter(({ step }) => isLook(step))
  const attempts = new Set(failures.map((failure) => failure.at))
  const changes = between.filter(({ step, at: i }) => step.ok && !attempts.has(i) && isChange(step, goal))
  const tried = new Set(failures.flatMap(({ part }) => [...plainWords(part), ...part.env]))
  const isSameCommand = [...plainWords(success.part), ...success.part.env].every((word) => tried.has(word))
  const earlier = steps.slice(0, at).flatMap((step) => fileOf(step) ?? [])
  const inline = changedInline(goal, commandOf(steps[success.at]!)!, success.part)
  const facts = {
    failures: failures.length,
    looked: looked.length,
    error,
    output: steps[at]!.output,
    isSameCommand,
    goal,
    success: success.part,
    changed: [...changes.map(({ step }) => fileOf(step) ?? commandOf(step)!), ...(inline === null ? [] : [inline])],
    earlier,
    files: [...changes.flatMap(({ step }) => editedBy(step) ?? []), ...(inline === null ? [] : (editIn(inline) ?? []))],
    outputs: failures.map((failure) => steps[failure.at]!.output),
    begun: steps.slice(0, success.at).flatMap((step) => commandOf(step) ?? []),
  }
  const wait = between
    .concat([{ step: steps[success.at]!, at: success.at }])
    .reduce((sum, { step }) => sum + waitsFor(commandOf(step) ?? ''), 0)
  const limit = isSameCommand ? raisedLimit(steps, failures, steps[success.at]!) : null
  if (limit === null && (isFlaky(facts) || isOwnSlip(facts))) return null
  const last = changes.at(-1)
  let changed: Lesson['changed'] = null
  if (isSameCommand) {
    if (limit !== null) changed = { kind: 'limit', text: limit }
    else if (inline !== null) changed = { kind: 'command', text: inline }
    else if (last !== undefined) changed = changeOf(last.step)
    else if (wait >= 20) changed = { kind: 'wait', text: `${wait} s` }
    else return null
  }
  const clues = looked.slice(-2).filter(({ step }) => tells(step, success.part, changed))
  const evidence = new Set([
    ...failures.map((failure) => failure.at),
    ...clues.map((clue) => clue.at),
    ...(last === undefined ? [] : [last.at]),
    success.at,
  ])
  return {
    failed: goal.text,
    worked: success.part.text,
    changed,
    error,
    evidence: [...evidence].sort((a, b) => a - b),
  }
}

/** How much longer the last attempt was allowed to run, if the others timed out. */
function raisedLimit(steps: readonly Step[], failures: readonly Attempt[], success: Step): string | null {
  const timedOut = failures.map(({ at }) => steps[at]!).filter(ranOutOfTime)
  if (timedOut.length === 0 || timedOut.length < failures.length) return null
  const [before, after] = [Math.max(...timedOut.map((step) => limitOf(step) ?? 0)), limitOf(success)]
  if (after !== null && after <= before) return null
  return `${before} s; ${after === null ? 'in the background' : `with a limit of ${after} s`} it works`
}

/** Retrying the same with a narrower or wider target changes nothing. */
function isChange(step: Step, goal: Part): boolean {
  if (changeOf(step) === null) return false
  const holds = (a: Part, b: Part) => b.words.every((word) => a.words.includes(word))
  return !commandParts(commandOf(step) ?? '').some(
    (part) => holds(part, goal) || (holds(goal, part) && part.words.length > 1),
  )
}

/** The file that a step edits, with a tool or a command. */
function editedBy(step: Step): string | null {
  return fileOf(step) ?? editIn(commandOf(step) ?? '')
}

/** `sed -i s/a/b/ file` edits a file like a tool. */
function editIn(command: string): string | null {
  const part = commandParts(command).findLast(({ looks }) => !looks)
  const isEdit =
    part !== undefined && /^(?:sed|perl)$/.test(part.words[0]!) && part.words.some((word) => /^-\w*i/.test(word))
  return isEdit ? part.words.at(-1)! : null
}

/** The command on a line that attempts the same thing. */
export function partLike(goal: Part, command: string): Part | null {
  // A different request is not another attempt.
  if (goal.looks && goal.words[0] !== 'curl')
    return commandParts(command).find(({ text }) => text === goal.text) ?? null
  const alike = commandParts(command).filter((part) => part.words[0] === goal.words[0] || shares(goal, part) >= 0.6)
  return alike.findLast((part) => wraps(part, goal) || (shares(goal, part) >= ALIKE && sameVerb(goal, part))) ?? null
}

/** `docker compose run app pytest` runs `pytest`. */
function wraps(outer: Part, inner: Part): boolean {
  return (
    inner.words.length > 1 &&
    plainWords(outer)
      .join(' ')
      .endsWith(` ${plainWords(inner).join(' ')}`)
  )
}

function plainWords(part: Part): string[] {
  return part.words.flatMap((word) => word.replace(/^['"]|['"]$/g, '').split(/[\s=]+/))
}

/** Runs whatever its next word names, which differs each time. */
const RUNNER =
  /^(?:make|just|task|rake|mage|ninja|bazel|cargo|go|dotnet|mix|mvn|sbt|lein|npm|pnpm|yarn|bun|deno|composer|php|rails|poetry|uv|dart|flutter|swift|zig)$|(?:gradlew?|bin\/\w+)$/

function sameVerb(a: Part, b: Part): boolean {
  if (a.looks !== b.looks) return false
  const verbs = (part: Part) =>
    plainWords(part)
      .filter((word) => !word.startsWith('-'))
      .slice(0, 6)
  const [left, right] = [verbs(a), new Set(verbs(b))]
  const first = left.slice(0, 2)
  return RUNNER.test(a.words[0]!) ? first.every((word) => right.has(word)) : first.some((word) => right.has(word))
}

function shares(a: Part, b: Part): number {
  const [left, right] = [new Set(plainWords(a)), new Set(plainWords(b))]
  const common = [...left].filter((word) => right.has(word)).length
  return common / Math.max(1, Math.min(left.size, right.size))
}

/** Similarity of two commands, in both directions, from 0 to 1. */
export function closeness(a: Part, b: Part): number {
  const [left, right] = [new Set(plainWords(a)), new Set(plainWords(b))]
  return (2 * [...left].filter((word) => right.has(word)).length) / (left.size + right.size)
}

function isLook(step: Step): boolean {
  const command = commandOf(step)
  if (command === null) return fileOf(step) === null
  return commandParts(command).every(({ looks }) => looks)
}

/** What a step changed. */
function changeOf(step: Step): Lesson['changed'] {
  const file = fileOf(step)
  if (file !== null) return { kind: 'file', text: file }
  const part = commandParts(commandOf(step) ?? '').findLast(({ looks }) => !looks) ?? null
  return part === null ? null : { kind: 'command', text: part.text }
}

/** What the successful line does before the command itself. */
function changedInline(goal: Part, command: string, success: Part): string | null {
  const parts = commandParts(command)
  const before = parts.slice(
    0,
    parts.findIndex(({ text }) => text === success.text),
  )
  return before.findLast(({ looks, text }) => !looks && text !== goal.text)?.text ?? null
}

/** Whether a value found by looking was then used. */
function tells(step: Step, success: Part, changed: Lesson['changed']): boolean {
  const used = `${success.text} ${changed?.text ?? ''}`.split(/[^\w.:/@-]+/).filter((word) => word.length > 2)
  return used.some((word) => step.output.includes(word)) || step.output.length > 0
}
