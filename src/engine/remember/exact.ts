import { FLAGGED_CONFIDENCE } from '../../guard/guard.ts'
import { breathe } from '../../model/breathe.ts'
import { DEFAULT_CONFIDENCE, type Memory } from '../../model/memory.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Write } from '../../storage/commit.ts'
import type { Caller, Core } from '../core.ts'
import { isOperator, seesHeld } from '../operator.ts'
import { beginning } from '../sessions.ts'
import { commitAll, commitOnce, newRow, partition, writeError } from '../write.ts'
import { createMemory } from './create.ts'
import { type Decided, decidedOf, fromNote, toNote } from './note.ts'
import { type PastReview, reviewStateOf } from './past-review.ts'
import type { Clean, Prepared } from './prepare.ts'
import { heldAgain, heldNow, refusal, reportOf } from './report.ts'
import type { Target } from './target.ts'

/** A candidate to store as its own row, unless the same text was held before. */
interface Row {
  clean: Clean
  memory: Memory
  write: Write
  past: PastReview | null
}

/**
 * Stores each candidate as a separate memory, whatever is known already. Only held texts are not held twice. Works in
 * parts of as many as the store writes at once, each atomic; `onStored` reports how many each part stored.
 */
export async function storeExact(
  core: Core,
  caller: Caller,
  prepared: readonly Prepared[],
  target: Target,
  onStored: (count: number) => void = () => {},
): Promise<Decided[]> {
  const { session, key, identifiers } = target
  const writer = { target, vouched: isOperator(core, caller), now: core.now() }
  const rows: Row[] = []
  for (const each of prepared) {
    if (!('clean' in each)) continue
    await breathe()
    const { clean } = each
    const memory = createMemory(core, clean, writer, confidenceOf(clean))
    // With a key, the call may be a repetition whose answer the store has.
    const past = key === undefined ? await pastReviewOf(core, clean) : null
    rows.push({ clean, memory, write: insertion(clean, memory), past })
  }
  const origin = { by: caller.by, at: writer.now }
  if (session !== undefined) await commitAll(core, { ...origin, writes: [beginning(session, identifiers, writer.now)] })
  const decided = new Map<Clean, Decided>()
  let start = 0
  for (const [i, { length }] of partition(
    core,
    rows.map(({ write }) => write),
  ).entries()) {
    const part = rows.slice(start, start + length)
    start += length
    const of = ['exact', ...prepared.map(({ given }) => given)]
    const told = await commitPart(core, caller, part, {
      ...origin,
      ...(key === undefined ? {} : { key: `${key}/${i}`, of }),
    })
    for (const [n, { clean }] of part.entries()) decided.set(clean, told[n]!)
    onStored(length)
  }
  return prepared.map((each) =>
    'clean' in each ? decided.get(each.clean)! : decidedOf(refusal(each.given, each.refused), each),
  )
}

async function commitPart(
  core: Core,
  caller: Caller,
  part: readonly Row[],
  commit: { by: string; at: Date; key?: string; of?: unknown },
): Promise<Decided[]> {
  for (;;) {
    const told = part.map((row) => ({
      outcome: outcomeOf(row, seesHeld(core, caller)),
      embeddingGenerated: row.clean.embeddingGenerated,
    }))
    const open = part.filter(({ past }) => past === null)
    if (open.length === 0) return told
    const note = commit.key === undefined ? {} : { note: toNote(told) }
    const result = await commitOnce(core, { ...commit, ...note, writes: open.map(({ write }) => write) })
    if (result.applied) return result.repeated && result.note !== null ? fromNote(core, result.note) : told
    const [{ write, reason }] = result.failures as [(typeof result.failures)[number]]
    const row = open[write]!
    if (reason !== 'once') throw writeError(row.write, reason)
    // Held before: by a concurrent call, with another key, or earlier in this list.
    row.past = (await pastReviewOf(core, row.clean)) ?? { review: 'held', memory: null }
  }
}

function outcomeOf({ clean, memory, past }: Row, seesHeld: boolean): Outcome {
  if (past !== null) return heldAgain(clean, past, seesHeld)
  if (clean.held !== null) return heldNow(clean, memory)
  return { kind: 'insert', ...reportOf(clean), memory, reason: 'stored as given' }
}

async function pastReviewOf(core: Core, { held, scope, candidate }: Clean): Promise<PastReview | null> {
  return held === null ? null : reviewStateOf(core, scope, candidate.content)
}

function insertion({ embedding, held }: Clean, memory: Memory): Write {
  return { kind: 'insert', row: newRow(memory, embedding), ...(held === null ? {} : { once: [held] }) }
}

/** As given; what the guard marked is trusted less by default. */
function confidenceOf({ candidate, flags }: Clean): number {
  return candidate.confidence ?? (flags.length > 0 ? FLAGGED_CONFIDENCE : DEFAULT_CONFIDENCE)
}
