import { z } from 'zod'
import type { Candidate } from '../model/candidate.ts'
import { RECORDED_CATEGORIES } from '../model/categories.ts'
import { isRecord, whyUnsafeJson } from '../text/json.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { type Captured, extracted, type Finding, MAX_OBSERVATION_LENGTH, refused, refusedAll } from './captured.ts'
import { type KnownToRun, readConfirmations, whyNoEvidence } from './confirmations.ts'
import { takeDeclaration } from './declared-relation.ts'
import { isSameText } from './evidence.ts'
import { detach, isVisibleText } from './excerpt.ts'
import { readExtraction } from './extraction-answer.ts'
import { withoutPrivate } from './private.ts'

/** Maximum learnings of one extraction. */
const MAX_LEARNINGS = 5
/** Maximum characters of an extraction's output. */
const MAX_OUTPUT_LENGTH = 1_048_576

const contentSchema = z
  .string()
  .transform(withoutPrivate)
  .pipe(z.string().max(MAX_OBSERVATION_LENGTH).refine(isVisibleText, 'must not be empty'))
/** Other keys are ignored: models often add a confidence or a reason. */
const learningSchema = z.object({
  content: contentSchema,
  // An invalid category or service does not lose the learning.
  category: z.enum(RECORDED_CATEGORIES).nullish().catch(null),
  service: z
    .string()
    .regex(/^[a-zA-Z0-9_-]+$/, 'must be letters, digits, - and _')
    .nullish()
    .catch(null),
  evidence: z.string().nullish(),
  replaces: z.int().nullish(),
})
const entrySchema = z.union([contentSchema.transform((content) => ({ content })), learningSchema])
type Learning = z.output<typeof learningSchema>

const NOTHING_KNOWN: KnownToRun = { said: null, shown: [], recorded: [] }

/**
 * Reads what an extraction call returned: a JSON array of strings or of `{content, category?, service?, evidence?, replaces?}`,
 * alone or under a `learnings` key next to a `confirmed` list. An empty array is valid. Never throws: unusable
 * entries are refused with a reason, and what the run recorded itself is skipped.
 */
export function captureLearnings(text: string, known: KnownToRun = NOTHING_KNOWN): Captured {
  if (text.trim() === '') return refusedAll('The extraction returned nothing.', text)
  if (text.length > MAX_OUTPUT_LENGTH) return refusedAll('The extraction returned more than 1 MiB.', text)
  const answer = readExtraction(text)
  if ('reason' in answer) return refusedAll(answer.reason, text)
  const before = new Set<string>()
  let accepted = 0
  const learnings = answer.learnings.flatMap((entry, index) => {
    const number = index + 1
    const finding = accepted < MAX_LEARNINGS ? learningFinding(entry, number, before, known) : tooMany(entry, number)
    if (finding !== null && 'candidate' in finding) accepted++
    return finding ?? []
  })
  const replaced = new Set(learnings.flatMap((each) => ('candidate' in each && each.candidate.declares?.memory) || []))
  const findings = [...learnings, ...readConfirmations(answer.confirmed, known, replaced)]
  return {
    candidates: findings.flatMap((each) => ('candidate' in each ? each.candidate : [])),
    refusals: findings.flatMap((each) => ('refusal' in each ? each.refusal : [])),
  }
}

function tooMany(entry: unknown, number: number): Finding {
  const text = whyUnsafeJson(entry) === null ? show(entry) : ''
  return refused(`Learning ${number}: more than ${MAX_LEARNINGS} in one extraction.`, text)
}

function show(entry: unknown): string {
  return typeof entry === 'string' ? entry : JSON.stringify(entry)
}

/** Null: already known. */
function learningFinding(entry: unknown, number: number, before: Set<string>, known: KnownToRun): Finding | null {
  const unsafe = whyUnsafeJson(entry)
  if (unsafe !== null) return refused(`Learning ${number}: ${unsafe}.`, '')
  const shown = show(entry)
  const parsed = entrySchema.safeParse(entry)
  if (!parsed.success) return refused(`Learning ${number}: ${whyInvalid(entry)}.`, shown)
  const learning: Learning = parsed.data
  const { content, declares, quotes } = takeDeclaration(detach(learning.content))
  if (!isVisibleText(content)) return refused(`Learning ${number}: says only what was believed before.`, shown)
  if (before.has(content)) return refused(`Learning ${number}: repeats an earlier one.`, shown)
  before.add(content)
  const relation = relationOf(learning, declares, known)
  if (typeof relation === 'string') return refused(`Learning ${number}: ${relation}.`, shown)
  // A replacement is about the same thing as the memory it replaces.
  const old = known.shown.find(({ id }) => id === relation?.memory)
  const service = learning.service ?? old?.service ?? null
  if (isKnown({ content, service }, relation, known)) return null
  const category = learning.category ?? old?.category ?? 'learning'
  const metadata = { ...quotes }
  return { candidate: extracted({ content, category, service, metadata, ...withoutUndefined({ declares: relation }) }) }
}

/** The memory that it corrects, or why that is not credible. New learnings need no evidence, but must not invent any. */
function relationOf(
  { evidence, replaces, service }: Learning,
  declared: Candidate['declares'],
  known: KnownToRun,
): Candidate['declares'] | string {
  const claims = replaces !== undefined && replaces !== null
  const baseless = claims || evidence ? whyNoEvidence(evidence ?? '', known) : null
  if (baseless !== null) return baseless
  if (!claims) return known.said === null || evidence ? declared : undefined
  const memory = known.shown[replaces - 1]
  if (memory === undefined) return `there is no memory ${replaces} that it could replace`
  if (service && memory.service && service !== memory.service) return `memory ${replaces} is about ${memory.service}`
  return { relation: 'corrects', text: memory.content, memory: memory.id }
}

/** Whether the run was shown it or recorded it itself: the same words, or a correction of the same memory. */
function isKnown(
  said: Pick<Candidate, 'content' | 'service'>,
  relation: Candidate['declares'],
  { shown, recorded }: KnownToRun,
): boolean {
  if ([...shown, ...recorded].some((each) => isSameText(each, said))) return true
  return relation?.memory !== undefined && recorded.some(({ declares }) => declares?.memory === relation.memory)
}

/** A union's message names no field, so the intended member's message is used. */
function whyInvalid(entry: unknown): string {
  const { error } = (isRecord(entry) ? learningSchema : contentSchema).safeParse(entry)
  const issues = error?.issues ?? []
  return issues
    .map(
      (issue) =>
        `${issue.path.join('.') || 'content'}: ${issue.code === 'invalid_value' ? `use one of ${issue.values.join(', ')}` : issue.message}`,
    )
    .join('; ')
}
