import { z } from 'zod'
import { type CaptureResult, captureStream } from '../capture/capture.ts'
import { captureLearnings } from '../capture/learnings.ts'
import { captureEvent, type WorkflowEventInput, workflowEventSchema } from '../capture/workflow-events.ts'
import { cleanRefusal } from '../guard/clean-refusal.ts'
import { cleanText } from '../guard/clean-text.ts'
import { warnOfWordsAlone } from '../lifecycle/words-alone.ts'
import type { Refusal } from '../model/candidate.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { idSchema, text } from '../model/fields.ts'
import { type ScopeSelector, scopeOf } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { repeatKey } from '../model/once-keys.ts'
import { type Outcome, outcomeSchema, refusalSchema } from '../model/outcome.ts'
import { parseInput } from '../model/parse.ts'
import type { WorkflowEvent } from '../model/records.ts'
import { keySchema } from '../model/schema.ts'
import type { Write } from '../storage/commit.ts'
import { resolveClaim, resolveOwner } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { rememberTargetSchema } from './remember/target.ts'
import { rememberParsed } from './remember.ts'
import { promptEvent } from './run-events.ts'
import { bareSession } from './sessions.ts'
import { retire } from './sweep.ts'
import { readShown, storeUses } from './uses.ts'

export const captureSchema = rememberTargetSchema.extend({
  /** The format of the source; `learnings` is a JSON array as returned by an extraction. */
  format: z.enum(['stream-json', 'transcript', 'text', 'learnings']),
  /** Also reads `## MEMORY_SUGGESTIONS`. Default: as configured. */
  suggestions: z.boolean().optional(),
  role: text(LIMITS.identifier).optional(),
  /** The source is a complete, finished run: its session ends too. */
  ended: z.boolean().default(true),
})
export type CaptureRequest = z.input<typeof captureSchema>

export const captureReportSchema = z.strictObject({
  /** What became of each candidate, in order. */
  outcomes: z.array(outcomeSchema),
  /** What was not a valid candidate, with reasons. */
  refusals: z.array(refusalSchema),
  warnings: z.array(z.string()),
  session: idSchema.nullable(),
  result: z.strictObject({ isError: z.boolean(), subtype: z.string(), result: z.string().nullable() }).nullable(),
  bytes: z.int(),
  lines: z.int(),
})
export type CaptureReport = z.output<typeof captureReportSchema>

/** Reads a run's output and remembers what it recorded. Reading the same session again changes nothing. */
export async function capture(
  core: Core,
  caller: Caller,
  source: AsyncIterable<Uint8Array> | string,
  request: CaptureRequest,
): Promise<CaptureReport> {
  requireEnabled(core)
  const { format, suggestions, role, ended, ...target } = parseInput(captureSchema, request, 'capture')
  const { settings } = core
  if (typeof source !== 'string' && typeof source?.[Symbol.asyncIterator] !== 'function') {
    throw invalidInput('source', 'Invalid source: must be a text or a stream.')
  }
  const bytesOf = typeof source === 'string' ? [Buffer.from(source)] : source
  const stream = (async function* () {
    yield* bytesOf
  })()
  const captured =
    format === 'learnings'
      ? await readLearnings(stream)
      : await captureStream(stream, {
          format,
          suggestions: suggestions ?? settings.includeHintsFromOutputs,
          maxSummaryLength: settings.maxSummaryLength,
          lessons: settings.lessons,
        })
  const session = target.session ?? captured.session?.sessionId
  const { warnings, outcome, bytes, lines } = captured
  const identifiers = target.identifiers ?? caller.identifiers ?? {}
  const now = core.now().toISOString()
  const seen: Write[] =
    session === undefined
      ? []
      : [
          {
            kind: 'session',
            session: bareSession(session, now, {
              agent: identifiers.agentId ?? null,
              project: identifiers.projectId ?? null,
              role: role ?? null,
              tier: target.tier ?? null,
              ...(ended
                ? { endedAt: now, outcome: cleanText(outcome?.subtype ?? '').text.slice(0, LIMITS.outcome) || null }
                : {}),
            }),
          },
          ...promptEvent(session, identifiers, core.now(), captured.prompt ?? ''),
        ]
  // The session is written together with its memories, so that a failed capture leaves no trace.
  const landing = session === undefined ? target : { ...target, session }
  const refusals = captured.refusals.map(cleanRefusal)
  const tellsActs = format === 'transcript' || format === 'stream-json'
  const shown = session === undefined || !tellsActs ? [] : await readShown(core, session)
  const { used, confirmed } = captured.made(shown)
  const candidates = [...captured.candidates, ...confirmed]
  const outcomes = await rememberParsed(core, caller, candidates, landing, {
    also: target.dryRun ? [] : seen,
    refusals,
  })
  if (session !== undefined && !target.dryRun) await storeUses(core, caller, session, used)
  for (const { reason } of refusals) core.log.warn({ session: session ?? null }, `not remembered: ${reason}`)
  for (const warning of warnings) core.log.warn({ session: session ?? null }, warning)
  const blind = warnOfWordsAlone(outcomes.map(({ reason }) => reason))
  if (blind !== null) warnings.push(blind)
  return { outcomes, refusals, warnings, session: session ?? null, result: withoutSecrets(outcome), bytes, lines }
}

/** Longer than any extraction. Anything longer is cut, and then no valid JSON. */
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
  const nothing = {
    warnings: [],
    session: null,
    prompt: null,
    outcome: null,
    assistantText: '',
    made: () => ({ used: [], confirmed: [] }),
  }
  return { ...nothing, candidates, refusals, refusalCount: refusals.length, bytes, lines }
}

const recordOptions = z.strictObject({ session: idSchema.optional(), dryRun: z.boolean().optional(), key: keySchema })

/** Remembers what is worth keeping of a workflow event. */
export async function recordEvent(
  core: Core,
  caller: Caller,
  event: WorkflowEventInput,
  options: z.input<typeof recordOptions> = {},
): Promise<{ outcomes: Outcome[]; refusals: Refusal[] }> {
  requireEnabled(core)
  const { session, dryRun = false, key } = parseInput(recordOptions, options, 'record')
  const parsed = parseInput(workflowEventSchema, event, 'record')
  const { candidates, refusals } = captureEvent(parsed, { maxSummaryLength: core.settings.maxSummaryLength })
  const { projectId, sectionId, taskId } = parsed
  const identifiers = { projectId, ...(sectionId ? { sectionId } : {}), ...(taskId ? { taskId } : {}) }
  // Tasks and sections are part of the project: write access to it includes them.
  const scoped =
    caller.identifiers === null ? caller : { ...caller, identifiers: { ...caller.identifiers, ...identifiers } }
  resolveOwner(caller, { projectId })
  const target = { identifiers, ...(session === undefined ? {} : { session }), dryRun }
  const at = core.now()
  const id = repeatKey(key, 'record', identifiers, session ?? null) ?? core.nextId(at)
  const happened: WorkflowEvent = {
    id,
    at: at.toISOString(),
    type: parsed.type,
    session: session ?? null,
    identifiers,
    data: { cycle: 'cycle' in parsed ? (parsed.cycle ?? null) : null },
  }
  const also: Write[] = dryRun ? [] : [{ kind: 'event', event: happened }]
  const keyed = key === undefined ? target : { ...target, key }
  const outcomes = await rememberParsed(core, scoped, candidates, keyed, { also, refusals: [] })
  if (!dryRun) await retire(core, touchedScopes(outcomes))
  return { outcomes, refusals: refusals.map(cleanRefusal) }
}

/** Scopes that received something new: only there can a cap be exceeded. */
function touchedScopes(outcomes: readonly Outcome[]): ScopeSelector[] {
  const scopes = outcomes.flatMap((outcome) =>
    outcome.kind === 'insert' ? [scopeOf(outcome.memory.layer, outcome.memory.identifiers)] : [],
  )
  return scopes.map(({ layer, owner, project }) => ({ layer, owner, projects: [project] }))
}

/** Applies the caps of one scope; returns how many memories became inactive. */
const pruneSchema = rememberTargetSchema.pick({ layer: true, identifiers: true }).required()

export async function prune(core: Core, caller: Caller, input: z.input<typeof pruneSchema>): Promise<number> {
  const { layer, identifiers } = parseInput(pruneSchema, input, 'prune')
  resolveClaim(caller, { identifiers })
  const { owner, project } = scopeOf(layer, identifiers)
  return retire(core, [{ layer, owner, projects: [project] }])
}

export function requireEnabled({ settings }: Pick<Core, 'settings'>): void {
  if (settings.enabled) return
  throw new MemoryError('UNSUPPORTED', 'Capture is switched off: memory.enabled is false in the configuration.', {
    details: { key: 'memory.enabled' },
  })
}

function withoutSecrets(result: CaptureResult['outcome']): CaptureResult['outcome'] {
  return result?.result ? { ...result, result: cleanText(result.result).text } : result
}
