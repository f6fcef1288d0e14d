import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type CaptureResult, captureStream } from '../capture/capture.ts'
import type { CaptureFormat } from '../capture/read-output.ts'
import { prepareStore } from '../config/prepare-store.ts'
import { cleanPrompt } from '../guard/clean-prompt.ts'
import { guardCandidate } from '../guard/guard.ts'
import type { Candidate } from '../model/candidate.ts'
import { LIMITS } from '../model/limits.ts'
import { StoreClient } from '../remote/client.ts'
import { type LeftOver, Outbox } from '../remote/outbox.ts'
import type { LiveMemory } from '../remote/protocol.ts'
import { deliverEarlier } from './deliver-earlier.ts'
import { type Hook, hasStore, sessionOf } from './hook.ts'

/** Share of the time for reading a transcript; the rest is for the store. */
const SHARE_OF_READING = 0.5
/** Reserved for the spool if the store does not answer. */
const SPOOL = 0.125

/**
 * Stores what a session said. `SessionEnd` has the whole transcript. `Stop` has the last answer, which is stored at once in case
 * the session never ends properly; reading it again later changes nothing. A session that recorded nothing creates no
 * store.
 */
export async function keepSession(hook: Hook): Promise<void> {
  const { config, inRun, atEnd } = hook
  const heard = atEnd ? await readTranscript(hook) : await readAnswer(hook)
  // A run reports its own end.
  const ended = atEnd && !inRun
  const store = new StoreClient(hook.store)
  const shown = ended ? await shownTo(hook, store) : []
  const { used, confirmed } = heard.made(shown)
  const candidates = guarded(hook, [...heard.candidates, ...confirmed])
  if (candidates.length === 0 && !(ended && hasStore(config))) return
  claimName(hook)
  if (ended) extractLater(hook, heard)
  const outbox = new Outbox(store, hook.spoolFolders)
  post(hook, outbox, { candidates, prompt: heard.prompt }, ended ? { used } : null)
  const last = SPOOL * hook.boundMs
  const drained = await outbox.drain(hook.left() - last)
  if (drained) await deliverEarlier(store, hook, hook.left() - last)
  await store.close(drained ? last : 0)
  tell(hook, outbox, await outbox.close(last))
}

/** Before the spool creates the folder: the next process must find what is spooled there. */
function claimName({ config: { db, storeName }, warn }: Hook): void {
  try {
    prepareStore(db, storeName)
  } catch (error) {
    // The spool has another folder for this case.
    warn((error as Error).message)
  }
}

function post(
  hook: Hook,
  outbox: Outbox,
  { candidates, prompt }: { candidates: readonly Candidate[]; prompt: string | null },
  ended: { used: string[] } | null,
): void {
  const { identifiers, session, inRun, warn } = hook
  const at = new Date().toISOString()
  const asked = prompt === null ? {} : { prompt: cleanPrompt(prompt) }
  if (!inRun) void outbox.post('beginSession', { ...sessionOf(hook), ...asked, at })
  for (const candidate of candidates) {
    void outbox.post('remember', { candidate, identifiers, session }).then((fate) => {
      if ('refused' in fate) warn(`Not remembered: ${fate.refused}`)
    })
  }
  if (ended) void outbox.post('endSession', { id: session, at, ...(ended.used.length === 0 ? {} : ended) })
}

function tell(hook: Hook, outbox: Outbox, { spooled, lost }: LeftOver): void {
  if (spooled.length + lost.length === 0) return
  const said = (calls: readonly string[]) => calls.filter((call) => call === 'remember').length
  const fates = [
    ...(said(spooled) > 0 ? [`Spooled for the next session: ${said(spooled)}.`] : []),
    ...(said(lost) > 0 ? [`Neither stored nor spooled: ${said(lost)}. ${laterOn(hook)}`] : []),
  ]
  const why = outbox.failure ?? 'The store did not accept it.'
  hook.warn(`The store is not available: ${[why, ...fates].join(' ')}`)
}

type Heard = Pick<CaptureResult, 'candidates' | 'assistantText' | 'prompt' | 'made'>
const NOTHING: Heard = { candidates: [], assistantText: '', prompt: null, made: () => ({ used: [], confirmed: [] }) }

/** Short sessions are skipped: they say too little to learn from, and a call costs money. */
const LEAST_SAID = 400

/** In a detached process: Claude Code ends its hooks soon after a session. */
function extractLater({ extract, input, identifiers, session }: Hook, { assistantText }: Heard): void {
  if (extract === null || input.transcriptPath === null || assistantText.length < LEAST_SAID) return
  const { agentId, projectId } = identifiers
  const whose = ['--session', session, '--project', projectId, ...(agentId === undefined ? [] : ['--agent', agentId])]
  const { program, args, cwd, env } = extract
  const child = spawn(program, [...args, ...whose, '--', input.transcriptPath], {
    cwd,
    env,
    detached: true,
    stdio: 'ignore',
  })
  // The session is stored anyway.
  child.on('error', () => {})
  child.unref()
}

/** Share of the time for asking what the session was shown. Without an answer nothing counts as used or confirmed. */
const SHARE_OF_ASKING = 0.2

async function shownTo(
  { config, identifiers, session, left }: Hook,
  store: Pick<StoreClient, 'request'>,
): Promise<LiveMemory[]> {
  if (!hasStore(config)) return []
  const boundMs = Math.ceil(left() * SHARE_OF_ASKING)
  return store.request('live', { identifiers, session, whole: true }, { boundMs }).catch(() => [])
}

async function readTranscript(hook: Hook): Promise<Heard> {
  const { transcriptPath } = hook.input
  if (transcriptPath === null) return NOTHING
  // A session without any prompt has none.
  const file = await stat(transcriptPath).catch(() => null)
  if (file === null || !file.isFile()) return NOTHING
  const signal = AbortSignal.timeout(Math.ceil(hook.left() * SHARE_OF_READING))
  return read(hook, createReadStream(transcriptPath, { signal }), 'transcript')
}

async function readAnswer(hook: Hook): Promise<Heard> {
  const { lastAssistantMessage } = hook.input
  return lastAssistantMessage === null ? NOTHING : read(hook, textSource(lastAssistantMessage), 'text')
}

async function* textSource(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function read({ config, warn }: Hook, source: AsyncIterable<Uint8Array>, format: CaptureFormat): Promise<Heard> {
  const { includeHintsFromOutputs: suggestions, maxSummaryLength, lessons } = config.memory
  const captured = await captureStream(source, { format, suggestions, maxSummaryLength, lessons })
  for (const warning of captured.warnings) warn(warning)
  return captured
}

/** What may be stored, without secrets: it is written to disk before the store sees it. */
function guarded({ warn }: Hook, candidates: readonly Candidate[]): Candidate[] {
  return candidates.flatMap((candidate) => {
    const result = guardCandidate(candidate, { maxLength: LIMITS.content })
    if (!('refused' in result)) return [result.candidate]
    warn(`Not remembered: ${result.refused}`)
    return []
  })
}

/** The transcript belongs to Claude Code, and remains even if nothing of ours can be written. */
function laterOn({ input, identifiers }: Hook): string {
  if (input.transcriptPath === null) return ''
  return `It can be captured later: nokosu capture --format transcript --project ${identifiers.projectId} ${input.transcriptPath}`
}
