import { z } from 'zod'
import type { Candidate } from '../model/candidate.ts'
import type { Memory } from '../model/memory.ts'
import { whyUnsafeJson } from '../text/json.ts'
import { extracted, type Finding, refused } from './captured.ts'
import { isEcho, isSaid } from './evidence.ts'

/** What an extraction is told about a run, and what its answer is checked against. */
export interface KnownToRun {
  /** What the run said, without its markers; null if unknown. */
  said: string | null
  /** The memories that the run was shown, numbered from 1 in this order. */
  shown: readonly Pick<Memory, 'id' | 'content' | 'category' | 'service'>[]
  /** What the run recorded itself. */
  recorded: readonly Pick<Candidate, 'content' | 'category' | 'service' | 'declares'>[]
}

const confirmationSchema = z.object({ memory: z.int(), evidence: z.string() })

/**
 * The memories that a run found to still hold, each a candidate that confirms one by id. A claim only counts with words
 * that the run said and that are not the memory's own, because a run repeats much of what it was shown. Memories in `replaced` are not confirmed.
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
    // Once is enough, whether said here or by the run itself.
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

/** Null: the run said it, or what the run said is unknown. */
export function whyNoEvidence(evidence: string, { said }: KnownToRun): string | null {
  if (said === null || isSaid(evidence, said)) return null
  return evidence.trim() === '' ? 'it has no evidence' : 'its evidence is not in what the run said'
}
