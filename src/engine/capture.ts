import { z } from 'zod'
import { type CaptureFormat, type CaptureResult, captureStream } from '../capture/capture.ts'
import { captureLearnings } from '../capture/learnings.ts'
import { captureEvent, type WorkflowEventInput, workflowEventSchema } from '../capture/workflow-events.ts'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { sanitizeText } from '../guard/sanitize.ts'
import type { Candidate, Refusal } from '../model/candidate.ts'
import { MemoryError } from '../model/errors.ts'
import { type ScopeSelector, scopeOf } from '../model/layer.ts'
import { parseInput } from '../model/parse.ts'
import { identifiersSchema, idSchema, layerSchema, tierSchema } from '../model/schema.ts'
import type { Core } from './core.ts'
import { type Outcome, type RememberTarget, remember } from './remember.ts'
import { ensureSession } from './sessions.ts'
import { retire } from './sweep.ts'

export interface CaptureRequest extends RememberTarget {
  /** What the source is; `learnings` is a JSON array as an extraction returns it. */
  format: CaptureFormat | 'learnings'
  /** Reads `## MEMORY_SUGGESTIONS` too. Default: what the configuration says. */
  suggestions?: boolean
  role?: string
}

export interface CaptureReport {
  /** What became of each candidate, in the order they came. */
  outcomes: Outcome[]
  /** What was not even a candidate, and why. */
  refusals: Refusal[]
  warnings: string[]
  session: string | null
  result: CaptureResult['outcome']
  bytes: number
  lines: number
}

const captureArgument = z.strictObject({
  format: z.enum(['stream-json', 'transcript', 'text', 'learnings']),
  identifiers: identifiersSchema,
  layer: layerSchema.optional(),
  session: idSchema.optional(),
  tier: tierSchema.optional(),
})

/** Reads a run's output and remembers what it left behind. Reading the same session again changes nothing. */
export async function capture(
  core: Core,
  source: AsyncIterable<Uint8Array>,
  { format, suggestions, role, ...target }: CaptureRequest,
): Promise<CaptureReport> {
  requireEnabled(core)
  const { settings } = core
  const { identifiers, layer, tier } = target
  parseInput(captureArgument, { format, identifiers, layer, tier, session: target.session }, 'capture')
  const captured =
    format === 'learnings'
      ? await readLearnings(source)
      : await captureStream(source, {
          format,
          suggestions: suggestions ?? settings.includeHintsFromOutputs,
          maxSummaryLength: settings.maxSummaryLength,
        })
  const session = target.session ?? captured.session?.sessionId
  if (session !== undefined && !target.dryRun) {
    await ensureSession(core, session, target.identifiers, { role, tier: target.tier })
  }
  const outcomes = await remember(core, captured.candidates, {
    ...target,
    ...(session === undefined ? {} : { session }),
  })
  const { warnings, outcome, bytes, lines } = captured
  const { refusals } = captured
  for (const { reason } of refusals) core.log.warn({ session: session ?? null }, `not remembered: ${reason}`)
  for (const warning of warnings) core.log.warn({ session: session ?? null }, warning)
  return { outcomes, refusals, warnings, session: session ?? null, result: withoutSecrets(outcome), bytes, lines }
}

/** More than an extraction ever says; what is longer is cut, and then no valid JSON. */
const MOST_LEARNING_BYTES = 2 << 20

async function readLearnings(source: AsyncIterable<Uint8Array>): Promise<CaptureResult> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of source) {
    parts.push(part)
    bytes += part.length
    if (bytes > MOST_LEARNING_BYTES) break
  }
  const text = Buffer.concat(parts).toString('utf8')
  const { candidates, refusals } = captureLearnings(text)
  const lines = text.split('\n').length
  const nothing = { warnings: [], session: null, outcome: null, assistantText: '' }
  return { ...nothing, candidates, refusals, refusalCount: refusals.length, bytes, lines }
}

/** Remembers what is worth it of something that happened in a workflow. */
export async function recordEvent(
  core: Core,
  event: WorkflowEventInput,
  target: Pick<RememberTarget, 'session' | 'dryRun'> = {},
): Promise<{ outcomes: Outcome[]; refusals: Refusal[] }> {
  requireEnabled(core)
  const parsed = parseInput(workflowEventSchema, event, 'record')
  const { candidates, refusals } = captureEvent(parsed, { maxSummaryLength: core.settings.maxSummaryLength })
  const { projectId, sectionId, taskId } = parsed
  const identifiers = { projectId, ...(sectionId ? { sectionId } : {}), ...(taskId ? { taskId } : {}) }
  if (target.session !== undefined && !target.dryRun) await ensureSession(core, target.session, identifiers)
  const outcomes = await remember(core, candidates as Candidate[], { ...target, identifiers })
  if (!target.dryRun) {
    const { type, ...data } = parsed
    const at = core.now().toISOString()
    const stored = outcomes.flatMap(({ memory }) => (memory ? [memory.id] : []))
    const record = {
      at,
      type,
      session: target.session ?? null,
      identifiers,
      data: { memories: stored, cycle: 'cycle' in data ? (data.cycle ?? null) : null },
    }
    await core.attempt(() => core.storage.addEvent(record))
    await retire(core, {}, touchedScopes(outcomes))
  }
  return { outcomes, refusals }
}

/** Where something new landed: only there can a cap be passed. */
function touchedScopes(outcomes: readonly Outcome[]): ScopeSelector[] {
  const scopes = outcomes.flatMap(({ kind, memory }) =>
    memory && kind === 'insert' ? [scopeOf(memory.layer, memory.identifiers)] : [],
  )
  return scopes.map(({ layer, owner, project }) => ({ layer, owner, projects: [project] }))
}

function requireEnabled({ settings }: Core): void {
  if (settings.enabled) return
  throw new MemoryError('UNSUPPORTED', 'Capture is switched off: memory.enabled is false in the configuration.', {
    details: { key: 'memory.enabled' },
  })
}

function withoutSecrets(result: CaptureResult['outcome']): CaptureResult['outcome'] {
  return result?.result ? { ...result, result: redactSecrets(sanitizeText(result.result)).text } : result
}
