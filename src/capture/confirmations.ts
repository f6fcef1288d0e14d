import { z } from 'zod'
import type { Candidate } from '../model/candidate.ts'
import type { Memory } from '../model/memory.ts'
import { whyUnsafeJson } from '../text/json.ts'
import { extracted, type Finding, refused } from './captured.ts'
import { isEcho, isSaid } from './evidence.ts'

/** What an extraction is told of a run, and its answer is held against. */
export interface KnownToRun {
  /** What the run said, without its markers; null where nobody knows. */
  said: string | null
  /** The memories that the run was shown, in the order in which they are numbered, from 1. */
  shown: readonly Pick<Memory, 'id' | 'content' | 'category' | 'service'>[]
  /** What the run has recorded by itself. */
  recorded: readonly Pick<Candidate, 'content' | 'category' | 'service' | 'declares'>[]
}

const confirmationSchema = z.object({ memory: z.int(), evidence: z.string() })

/**
 * The memories that a run has found to hold still, each a candidate that confirms it by its id. A claim counts only with words
 * that the run said, and not with those of the memory itself: a run says much of what it was shown. `replaced` are not confirmed too.
 */
export function readConfirmations(
  entries: readonly unknown[],
  known: KnownToRun,
  replaced: ReadonlySet<string>,
): Finding[] {
  const done = new Set(replaced)
  for (const { declares } of known.recorded) if (declares?.memory !== undefined) done.add(declares.memory)
  return entries.flatMap((entry, index) => {
    const text = whyUnsafeJson(entry) === null ? JSON.stringify(entry) : ''
    const found = readOne(entry, known)
    if (typeof found === 'string') return refused(`Confirmation ${index}: ${found}.`, text)
    const { id, content, category, service } = found
    // Said once, here or by the run itself, is enough.
    if (done.has(id)) return []
    done.add(id)
    const declares = { relation: 'confirms', text: content, memory: id } as const
    return { candidate: extracted({ content, category, service, declares }) }
  })
}

function readOne(entry: unknown, known: KnownToRun): KnownToRun['shown'][number] | string {
  const parsed = confirmationSchema.safeParse(entry)
  if (!parsed.success) return 'it needs the number of a memory and the words that show it'
  const { memory: number, evidence } = parsed.data
  const memory = known.shown[number - 1]
  if (memory === undefined) return `there is no memory ${number}`
  const baseless = whyNoEvidence(evidence, known)
  if (baseless !== null) return baseless
  return isEcho(evidence, memory) ? 'its evidence only repeats the memory' : memory
}

/** Null: the run said it, or nobody knows what the run said. */
export function whyNoEvidence(evidence: string, { said }: KnownToRun): string | null {
  if (said === null || isSaid(evidence, said)) return null
  return evidence.trim() === '' ? 'it has no evidence' : 'its evidence is not in what the run said'
}
