import { z } from 'zod'
import { schemas } from '../engine/schemas.ts'
import { notFound } from '../engine/write.ts'
import { describeCategories, RECORDED_CATEGORIES } from '../model/categories.ts'
import { MemoryError } from '../model/errors.ts'
import { idSchema, layerSchema } from '../model/fields.ts'
import { GUARDS } from '../model/guards.ts'
import { LIMITS } from '../model/limits.ts'
import { isVisible, type Memory } from '../model/memory.ts'
import type { AddResult, ReviewState } from '../model/outcome.ts'
import { memoryPatchSchema } from '../model/schema.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { shownSchema, toLine, toShown } from './shown.ts'
import { tool } from './tool.ts'

const { category, service, tags, importance } = schemas.add.input.shape

/** What became of it. */
const BECAME = {
  insert: 'Remembered.',
  reinforce: 'Already known. Its confidence is higher now.',
  contradict: 'Remembered, and it corrects what was known.',
  duplicate: 'Already known. Nothing changed.',
  marked: 'Remembered, and shown as unverified until other agents say the same: it changed nothing that was known.',
  held: 'Held for review: no agent is shown it until an operator accepts it. Do not try other words.',
} as const

/** For words that were held for review before. */
const AGAIN: Record<ReviewState, string> = {
  held: 'Already held for review: no agent is shown it until an operator accepts it. Do not try other words.',
  accepted: 'Already known: an operator has accepted it. Nothing changed.',
  rejected: 'Not remembered: an operator has rejected it. Do not try other words.',
  removed:
    'Not remembered: it was held for review before, and an operator has changed or removed it. Do not try other words.',
}

export const addTool = tool({
  name: 'memory_add',
  title: 'Remember',
  description:
    'Remembers one observation for later sessions: a durable fact, decision or fix, as a sentence that is understood without this conversation. Never secrets or personal data. Repeats raise confidence. To correct a memory, end with (was: what was believed).',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    content: z.string().min(1).max(LIMITS.content).describe('One observation'),
    category: category.describe(describeCategories(RECORDED_CATEGORIES)),
    service: service.describe('The service or part it is about'),
    tags: tags.describe(
      `For finding it. ${GUARDS}ACTION, such as ${GUARDS}terraform apply or ${GUARDS}db/migrations: shown before that command, to that file, with that tool`,
    ),
    importance: importance.describe('0 to 100'),
    layer: layerSchema
      .optional()
      .describe('Who should know: agent (only you) or project (everybody who works on it). Default: the project'),
    exact: z.boolean().optional().describe('Stores it as a memory of its own, without comparing it to what is known'),
  }),
  output: z.strictObject({
    outcome: z.enum(Object.keys(BECAME) as [keyof typeof BECAME]),
    message: z.string(),
    memory: shownSchema.nullable(),
    corrected: z.array(z.string()).describe('Ids of memories whose confidence was lowered'),
    secretsRemoved: z.number(),
  }),
  async run(desk, { layer, exact = false, ...given }) {
    const memories = await desk.open('write')
    const speaker = { source: 'extraction', tier: 1, session: desk.speaker } as const
    const added = { ...given, ...speaker, ...(layer === undefined ? {} : { layer }), exact }
    try {
      return tell(await memories.add(added), desk.now())
    } catch (error) {
      const review = MemoryError.is(error) ? (error.details.review as ReviewState | undefined) : undefined
      if (review === undefined) throw error
      const message = AGAIN[review]
      const outcome = review === 'held' ? ('held' as const) : ('duplicate' as const)
      return { text: message, value: { outcome, message, memory: null, corrected: [], secretsRemoved: 0 } }
    }
  },
})

function tell({ outcome, memory, review, weakened, redactions }: AddResult, now: Date) {
  const held = memory.trust === 'quarantined'
  const marked = outcome === 'insert' && memory.trust === 'flagged'
  const kind = held ? ('held' as const) : marked ? ('marked' as const) : outcome
  const message = review === undefined ? BECAME[kind] : AGAIN[review]
  const corrected = weakened.map(({ id }) => id)
  const secretsRemoved = redactions.reduce((sum, { count }) => sum + count, 0)
  const shown = toShown(memory, now)
  const lines = [
    message,
    ...(held ? [] : [toLine(shown)]),
    ...corrected.map((id) => `Less sure now: ${id}`),
    ...(secretsRemoved === 0 ? [] : [`Secrets redacted: ${secretsRemoved}. Do not store secrets.`]),
  ]
  return { text: lines.join('\n'), value: { outcome: kind, message, memory: shown, corrected, secretsRemoved } }
}

const patch = memoryPatchSchema(LIMITS.content).shape

export const updateTool = tool({
  name: 'memory_update',
  title: 'Change a memory',
  description:
    'Changes a memory in place, for a slip or a better wording. When the facts have changed, memory_add with (was: ...) keeps the history visible.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    id: idSchema,
    content: patch.content,
    category: patch.category,
    service: patch.service,
    tags: patch.tags.describe('Replaces the tags'),
    version: patch.version.describe('The version you read: a newer one is a CONFLICT'),
  }),
  output: z.strictObject({ memory: shownSchema }),
  async run(desk, { id, ...given }) {
    const memories = await desk.open('write')
    const current = await memories.get(id)
    if (current === null) throw notFound(id)
    requireVisible(current, desk.now())
    const { memory } = await memories.update(id, withoutUndefined(given))
    const shown = toShown(memory, desk.now())
    return { text: `Changed.\n${toLine(shown)}`, value: { memory: shown } }
  },
})

function requireVisible(memory: Memory, now: Date): void {
  if (isVisible(memory, now)) return
  throw new MemoryError('UNAUTHORIZED', 'It is not shown to agents, so it cannot be changed here.', {
    details: { id: memory.id, hint: 'Say what you know with memory_add.' },
  })
}

export const deleteTool = tool({
  name: 'memory_delete',
  title: 'Forget',
  description: 'Deletes a memory that is wrong and of no use. Its history is kept for operators.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ id: idSchema }),
  output: z.strictObject({ deleted: z.boolean() }),
  async run(desk, { id }) {
    const memories = await desk.open('write')
    const current = await memories.get(id)
    const deleted = current !== null
    if (current !== null) {
      requireVisible(current, desk.now())
      await memories.delete(id)
    }
    const text = deleted ? 'Deleted.' : `There is no memory with the id ${id}: nothing was deleted.`
    return { text, value: { deleted } }
  },
})
