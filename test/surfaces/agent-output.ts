import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CaptureReport } from '../../src/engine/capture.ts'

/** What `claude -p --output-format stream-json --verbose` prints: one assistant message for each text. */
export function streamOf(session: string, ...texts: string[]): string {
  return lines(
    { type: 'system', subtype: 'init', session_id: session, cwd: '/srv/home', model: 'model-a' },
    ...texts.map((text, at) => ({
      type: 'assistant',
      message: messageOf(`m${at}`, text),
      parent_tool_use_id: null,
      session_id: session,
    })),
    { type: 'result', subtype: 'success', is_error: false, result: texts.at(-1) ?? '', session_id: session },
  )
}

/** The file that Claude Code keeps of the same session. */
export function transcriptOf(session: string, ...texts: string[]): string {
  const common = { sessionId: session, cwd: '/srv/home', isSidechain: false, userType: 'external' }
  return lines(
    { type: 'user', message: { role: 'user', content: 'go' }, ...common },
    ...texts.map((text, at) => ({ type: 'assistant', message: messageOf(`m${at}`, text), ...common })),
  )
}

function messageOf(id: string, text: string) {
  return { id, type: 'message', role: 'assistant', model: 'model-a', content: [{ type: 'text', text }] }
}

/** One JSON object per line. */
export function lines(...events: object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

/** The outcome of each candidate, in short. */
export function kindsOf({ outcomes }: CaptureReport): string[] {
  return outcomes.map(({ kind }) => kind)
}

/** Queries the store's file directly, without project code. */
export function query<Row = Record<string, unknown>>(
  folder: string,
  sql: string,
  ...values: (string | number)[]
): Row[] {
  const database = new DatabaseSync(join(folder, '.nokosu/memory.db'))
  try {
    return database
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row })) as Row[]
  } finally {
    database.close()
  }
}

const DAY_MS = 86_400_000

/** Backdates the last update of every memory by this many days, as another tool could. */
export function age(folder: string, days: number): string {
  const then = new Date(Date.now() - days * DAY_MS).toISOString()
  query(folder, 'UPDATE memories SET created_at = ?1, updated_at = ?1', then)
  return then
}

/** Vectors of the real model, for tests that depend on meaning. */
export const MODEL = { env: { NOKOSU_EMBEDDING: 'local' } }
