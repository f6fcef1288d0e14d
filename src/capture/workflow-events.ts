import type { Candidate } from '../model/candidate.ts'
import { CATEGORY_NAMES } from '../model/categories.ts'
import type { Identifiers, Layer } from '../model/layer.ts'
import { DEFAULTS } from '../model/limits.ts'
import type { JsonObject, Source } from '../model/memory.ts'
import { whyUnsafeJson } from '../text/json.ts'
import { shortenAtWord } from '../text/shorten.ts'
import { type Captured, explainIssues, refusedAll } from './captured.ts'
import { detach } from './excerpt.ts'
import { cleanNote } from './notes.ts'
import { summarizeFiles } from './summarize-files.ts'
import { type WorkflowEvent, type WorkflowEventInput, workflowEventSchema } from './workflow-event.ts'

export { type WorkflowEventInput, workflowEventSchema }

export interface EventOptions {
  /** Characters. A longer summary is shortened at a word boundary. Default 800. */
  maxSummaryLength?: number
}

/** Maximum paths in the metadata; the summary counts the rest. */
const MAX_LISTED_FILES = 50

/** The default text of each type. */
const DEFAULTS_OF: Record<WorkflowEvent['type'], { source: Source; importance: number }> = {
  submission: { source: 'coder', importance: 40 },
  commit: { source: 'coder', importance: 40 },
  rejection: { source: 'reviewer', importance: 70 },
  approval: { source: 'reviewer', importance: 50 },
  follow_up: { source: 'reviewer', importance: 60 },
  decision: { source: 'coordinator', importance: 80 },
  wont_fix: { source: 'coder', importance: 75 },
  dispute: { source: 'reviewer', importance: 75 },
  hint: { source: 'orchestrator', importance: 50 },
}

const DECISIONS = {
  guide_coder: 'Coordinator guides the coder',
  override_reviewer: 'Coordinator overrides the reviewer',
  narrow_scope: 'Coordinator narrows the scope',
  wont_fix: "Won't fix",
  dispute: 'Disputed',
} as const

/** Turns a workflow event into candidates. An event that says nothing is refused with a reason. */
export function captureEvent(event: unknown, options: EventOptions = {}): Captured {
  const unsafe = whyUnsafeJson(event)
  if (unsafe !== null) return refusedAll(`The event ${unsafe}.`, '')
  const parsed = workflowEventSchema.safeParse(event)
  if (!parsed.success) {
    const why = explainIssues(parsed.error, 'event')
    return refusedAll(`Invalid workflow event: ${why}.`, JSON.stringify(event) ?? '')
  }
  const told = tell(parsed.data)
  if ('reason' in told) return refusedAll(`The ${parsed.data.type} is not kept: ${told.reason}.`, told.shown)
  const max = options.maxSummaryLength ?? DEFAULTS.summaryLength
  const candidates = [toCandidate(parsed.data, told, max)]
  if (parsed.data.type === 'approval') candidates.push(...spawned(parsed.data, max))
  return { candidates, refusals: [] }
}

interface Summary {
  summary: string
  tags: string[]
  facts: JsonObject
}

type Refused = { reason: string; shown: string }

function tell(event: WorkflowEvent): Summary | Refused {
  switch (event.type) {
    case 'submission':
    case 'commit':
      return tellSubmission(event)
    case 'rejection':
      return tellNote(event.notes, `Rejected (cycle ${event.cycle})`, { cycle: event.cycle })
    case 'approval':
      return tellApproval(event)
    case 'follow_up':
      return tellNote(event.title, 'Follow-up', event.followUpTaskId ? { followUpTaskId: event.followUpTaskId } : {})
    case 'decision':
      return tellDecision(event.decision, event)
    case 'wont_fix':
    case 'dispute':
      return tellDecision(event.type, event)
    case 'hint':
      return tellNote(event.summary, null, {})
  }
}

function tellNote(raw: string, lead: string | null, facts: JsonObject, tags: string[] = []): Summary | Refused {
  const note = cleanNote(raw)
  if ('reason' in note) return { reason: note.reason, shown: raw }
  return { summary: lead === null ? note.text : `${lead}: ${note.text}`, tags, facts }
}

function tellDecision(decision: keyof typeof DECISIONS, event: { notes: string; cycle?: number | undefined }) {
  const after = event.cycle === undefined ? '' : ` after ${event.cycle} rejection${event.cycle === 1 ? '' : 's'}`
  const facts: JsonObject = { decision, ...(event.cycle === undefined ? {} : { cycle: event.cycle }) }
  return tellNote(event.notes, `${DECISIONS[decision]}${after}`, facts, [decision])
}

/** A commit or a list of files is enough for a memory. Notes that add nothing are dropped. */
function tellSubmission(event: WorkflowEvent & { type: 'submission' | 'commit' }): Summary | Refused {
  const note = cleanNote(event.summary ?? '')
  const files = event.changedFiles
  const changed = Array.isArray(files) ? summarizeFiles(files) : textOf(cleanNote(files ?? ''))
  if (event.commit === undefined && changed === '' && 'reason' in note) {
    return { reason: note.reason, shown: event.summary ?? '' }
  }
  const lead = event.commit === undefined ? 'Submitted' : `Submitted ${event.commit.slice(0, 12)}`
  const said = [textOf(note), changed].filter((part) => part !== '').join(' — ')
  return {
    summary: said === '' ? `${lead}.` : `${lead}: ${said}`,
    tags: [],
    facts: Array.isArray(files) ? { changedFiles: files.slice(0, MAX_LISTED_FILES), fileCount: files.length } : {},
  }
}

function tellApproval(event: WorkflowEvent & { type: 'approval' }): Summary | Refused {
  const note = cleanNote(event.notes ?? '')
  const titles = event.followUps.map(titleOf)
  if (event.commit === undefined && titles.length === 0 && 'reason' in note) {
    return { reason: note.reason, shown: event.notes ?? '' }
  }
  const lead = event.commit === undefined ? 'Approved' : `Approved at ${event.commit.slice(0, 12)}`
  const spawnedCount = titles.length === 0 ? '' : `${titles.length} follow-up${titles.length === 1 ? '' : 's'} spawned`
  const said = [textOf(note), spawnedCount].filter((part) => part !== '').join(' — ')
  return {
    summary: said === '' ? `${lead}.` : `${lead}: ${said}`,
    tags: [],
    facts: titles.length === 0 ? {} : { followUps: titles },
  }
}

/** Each follow-up is a separate memory, so that it is found when that work begins. */
function spawned(event: WorkflowEvent & { type: 'approval' }, max: number): Candidate[] {
  return event.followUps.map((followUp) => {
    const { projectId, sectionId, taskId, expiresAt, commit } = event
    const followUpTaskId = typeof followUp === 'string' ? undefined : followUp.taskId
    const shared = { projectId, sectionId, taskId, expiresAt, tags: [], details: {} }
    const facts: JsonObject = {
      ...(commit === undefined ? {} : { commit }),
      ...(followUpTaskId ? { followUpTaskId } : {}),
    }
    const told = { summary: `Follow-up: ${titleOf(followUp)}`, tags: [], facts }
    return toCandidate({ type: 'follow_up', title: titleOf(followUp), ...shared }, told, max)
  })
}

function titleOf(followUp: string | { title: string }): string {
  const title = typeof followUp === 'string' ? followUp : followUp.title
  return title.replace(/\s+/g, ' ')
}

function textOf(note: ReturnType<typeof cleanNote>): string {
  return 'text' in note ? note.text : ''
}

function toCandidate(event: WorkflowEvent, told: Summary, maxSummaryLength: number): Candidate {
  const { source, importance } = DEFAULTS_OF[event.type]
  const category = CATEGORY_NAMES.get(event.type)!
  // A type without a category of its own is kept as a tag.
  const type = event.type === category ? [] : [event.type]
  const commit = 'commit' in event && event.commit !== undefined ? { commit: event.commit } : {}
  return {
    content: detach(shortenAtWord(told.summary, maxSummaryLength)),
    category,
    service: null,
    source: event.source ?? source,
    tags: [...new Set([...type, ...told.tags, ...event.tags])],
    metadata: { ...(event.details as JsonObject), ...commit, ...told.facts },
    anchor: anchorOf(event, commit.commit),
    importance: event.importance ?? importance,
    ...placeOf(event),
    ...(event.expiresAt ? { expiresAt: new Date(event.expiresAt).toISOString() } : {}),
  }
}

/** The nearest scope that the event names. The identifiers keep the wider ones, so that the section and project find it too. */
function placeOf(event: WorkflowEvent): { layer: Layer; identifiers: Identifiers } {
  const identifiers: Identifiers = { projectId: event.projectId }
  if (event.sectionId) identifiers.sectionId = event.sectionId
  if (event.taskId) identifiers.taskId = event.taskId
  return { layer: event.taskId ? 'task' : event.sectionId ? 'section' : 'project', identifiers }
}

function anchorOf(event: WorkflowEvent, commit: string | undefined): string | null {
  const parts = Object.entries({ task_id: event.taskId, section_id: event.sectionId, commit })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}:${String(value).replaceAll('|', '%7C')}`)
  return parts.length === 0 ? null : parts.join('|')
}
