import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { eventOf } from '../capture/event-line.ts'
import { readHookInput } from '../capture/hook-input.ts'
import { invalidInput } from '../model/errors.ts'
import { isRecord, parseJson } from '../text/json.ts'
import { shell } from './shell.ts'

export const CAPTURE_FORMATS = ['stream-json', 'transcript', 'text', 'learnings'] as const
export type Recognised = (typeof CAPTURE_FORMATS)[number]

export interface CaptureInput {
  source: AsyncIterable<Uint8Array>
  format: Recognised
  told: string
  /** The session's fields, if the input contains them. */
  session?: string
}

const TOLD: Record<Recognised, string> = {
  'stream-json': 'the output of Claude Code (stream-json)',
  transcript: 'a transcript of Claude Code',
  text: 'plain text',
  learnings: 'a JSON array of learnings',
}

/** Lines to examine before unrecognized input counts as text: some programs print a warning before their JSON. */
const MOST_LINES = 20
const MOST_BYTES = 1 << 20

export async function recogniseInput(input: AsyncIterable<Uint8Array>): Promise<CaptureInput> {
  const parts = input[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let known: Recognised | 'hook' | null = null
  let size = 0
  let ended = false
  while (known === null && !ended && size < MOST_BYTES) {
    const { value, done = false } = await parts.next()
    ended = done
    if (value) {
      seen.push(value)
      size += value.length
    }
    known = recognise(Buffer.concat(seen).toString('utf8'), ended || size >= MOST_BYTES)
  }
  const source = restOf(seen, parts, ended)
  if (known === 'hook') return followHook(source)
  const format = known ?? 'text'
  return { source, format, told: TOLD[format] }
}

/** Null while the following lines may still decide it. */
function recognise(text: string, whole: boolean): Recognised | 'hook' | null {
  const lines = text.split('\n')
  const complete = whole ? lines : lines.slice(0, -1)
  for (const line of complete) {
    const format = formatOfLine(line)
    if (format !== null) return format
  }
  const start = text.trimStart()
  const spoken = complete.filter((line) => line.trim() !== '')
  // A value that spans several lines is read to its end.
  if (!whole && (spoken.length < MOST_LINES || /^[{[]/.test(start))) return null
  if (whole && isHook(text)) return 'hook'
  // Our own marker also begins with a bracket.
  return /^(?:```(?:json)?\s*)?\[\s*["{\]]/.test(start) ? 'learnings' : 'text'
}

function formatOfLine(line: string): Recognised | 'hook' | null {
  const json = line.trimStart().startsWith('{') ? parseJson(line) : { ok: true as const, value: eventOf(line) }
  if (!json.ok || !isRecord(json.value)) return null
  const { type, hook_event_name, session_id, sessionId } = json.value
  if (typeof hook_event_name === 'string') return 'hook'
  if (typeof session_id === 'string' || type === 'result') return 'stream-json'
  if (typeof sessionId === 'string' || type === 'summary' || type === 'file-history-snapshot') return 'transcript'
  return type === 'assistant' || type === 'system' || type === 'user' ? 'stream-json' : null
}

function isHook(text: string): boolean {
  const json = parseJson(text)
  return json.ok && isRecord(json.value) && typeof json.value.hook_event_name === 'string'
}

/** Claude Code's hook input names the transcript, which is read instead, and contains the last answer. */
async function followHook(source: AsyncIterable<Uint8Array>): Promise<CaptureInput> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  const hook = readHookInput(Buffer.concat(parts).toString('utf8'))
  if ('reason' in hook) throw invalidInput('file', hook.reason)
  if (hook.transcriptPath === null) {
    const last = Buffer.from(hook.lastAssistantMessage ?? '')
    const told = `the last answer in the input of a ${hook.event} hook`
    return { source: Readable.from([last]), format: 'text', told, session: hook.sessionId }
  }
  const handle = await open(resolve(shell().cwd, hook.transcriptPath))
  const told = `the transcript that the input of a ${hook.event} hook names (${hook.transcriptPath})`
  return { source: handle.createReadStream(), format: 'transcript', told }
}

async function* restOf(
  seen: readonly Uint8Array[],
  parts: AsyncIterator<Uint8Array>,
  ended: boolean,
): AsyncGenerator<Uint8Array> {
  yield* seen
  if (ended) return
  for (let next = await parts.next(); !next.done; next = await parts.next()) yield next.value
}
