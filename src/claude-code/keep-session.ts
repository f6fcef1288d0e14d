import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type CaptureFormat, captureStream } from '../capture/capture.ts'
import { guardCandidate } from '../guard/guard.ts'
import type { Candidate } from '../model/candidate.ts'
import { askStore } from '../remote/ask-store.ts'
import { Spool, type SpoolRecord } from '../remote/spool.ts'
import type { Kept } from '../remote/store-request.ts'
import { type Hook, hasStore } from './hook.ts'

/** Of the time, for reading a transcript; the rest is for the store. */
const SHARE_OF_READING = 0.5
/** For the spool, when the store did not answer. */
const SPOOL_MS = 500

/**
 * Keeps what a session said. `SessionEnd` has the whole transcript. `Stop` has the last answer, which is kept at once in case
 * the session never gets to its end; reading it again later changes nothing. A session that left nothing behind creates no
 * store.
 */
export async function keepSession(hook: Hook): Promise<void> {
  const { config, identifiers, session, inRun, store, left, warn } = hook
  const atEnd = hook.input.event === 'SessionEnd'
  const candidates = atEnd ? await readTranscript(hook) : await readAnswer(hook)
  // A run says itself when it is over.
  const ended = atEnd && !inRun
  if (candidates.length === 0 && !(ended && hasStore(config))) return
  const { value, failure } = await askStore<Kept>(
    store,
    { kind: 'keep', identifiers, session, candidates, ended },
    { boundMs: left() - SPOOL_MS },
  )
  for (const note of value?.notes ?? []) warn(note)
  if (failure === null || value !== null) return
  const fate = candidates.length === 0 ? 'The session left nothing.' : await spoolCandidates(hook, candidates)
  warn(`The store is not available: ${failure.replace(/\.$/, '')}. ${fate}`)
}

async function readTranscript(hook: Hook): Promise<Candidate[]> {
  const { transcriptPath } = hook.input
  if (transcriptPath === null) return []
  // A session without a single prompt has none.
  const file = await stat(transcriptPath).catch(() => null)
  if (file === null || !file.isFile()) return []
  const signal = AbortSignal.timeout(Math.ceil(hook.left() * SHARE_OF_READING))
  return read(hook, createReadStream(transcriptPath, { signal }), 'transcript')
}

async function readAnswer(hook: Hook): Promise<Candidate[]> {
  const { lastAssistantMessage } = hook.input
  return lastAssistantMessage === null ? [] : read(hook, textSource(lastAssistantMessage), 'text')
}

async function* textSource(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function read(
  { config, warn }: Hook,
  source: AsyncIterable<Uint8Array>,
  format: CaptureFormat,
): Promise<Candidate[]> {
  const { includeHintsFromOutputs, maxSummaryLength } = config.memory
  const captured = await captureStream(source, { format, suggestions: includeHintsFromOutputs, maxSummaryLength })
  for (const warning of captured.warnings) warn(warning)
  return captured.candidates
}

/**
 * For the next session to deliver; says what became of them. A file of its own each time: what was left at an earlier stop is
 * not overwritten.
 */
async function spoolCandidates(hook: Hook, candidates: readonly Candidate[]): Promise<string> {
  const { identifiers, session } = hook
  const target = { identifiers, session }
  const records = candidates.flatMap((candidate): SpoolRecord[] => {
    const guarded = guardCandidate(candidate, { maxLength: Number.POSITIVE_INFINITY })
    return 'refused' in guarded ? [] : [{ kind: 'remember', candidate: guarded.candidate, target }]
  })
  if (records.length === 0) return 'Nothing that the session left may be kept.'
  const spool = new Spool(hook.spoolFolders, `${session} ${randomUUID()}`)
  try {
    await spool.append(records)
    await spool.release()
    return `What the session left waits in the spool for the next one: ${records.length}.`
  } catch (error) {
    return `What the session left could be written nowhere (${(error as Error).message}). ${laterOn(hook)}`
  }
}

/** The transcript is Claude Code's own, and stays when nothing of ours can be written. */
function laterOn({ input, identifiers }: Hook): string {
  if (input.transcriptPath === null) return ''
  return `It can be captured later: nokosu capture --format transcript --project ${identifiers.projectId} ${input.transcriptPath}`
}
