import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { answerError, HttpError } from '../errors.ts'
import type { ServerParts } from '../route.ts'
import type { Page } from './pages.ts'
import { StoreWatch } from './store-watch.ts'
import type { View } from './view.ts'

/** Milliseconds between two checks of the store: other processes write to it, and not every store notifies. */
const LOOK_MS = 1500
/** If the store notifies, a check follows at once, and the next one at the earliest after this time. */
const TOLD_MS = 200
/** A slow store is checked less often: checks take at most one part in this many of the time. */
const IDLE_SHARE = 20

/** Maximum open streams: in all, and per caller. A browser needs two. */
const MOST_STREAMS = 500
const MOST_OF_ONE = 20

export function livePage(parts: ServerParts): Page {
  const watcher = new StoreWatch(parts)
  const open: string[] = []
  return {
    path: '/live',
    summary: 'Tells a page that memories, runs or events have changed (server-sent events).',
    async handle(view) {
      const { name } = view.access.caller
      if (open.length >= MOST_STREAMS || open.filter((each) => each === name).length >= MOST_OF_ONE) {
        const message = 'Too many dashboard pages are open. Close some.'
        const wait = { 'retry-after': '10' }
        return answerError(view.context, new HttpError(429, message, { retryAfterMs: 10_000 }, wait))
      }
      const isStillIn = view.context.get('isStillIn')
      // Before the stream begins, so that a caller without access gets an error.
      let known = await signature(view)
      open.push(name)
      return streamSSE(view.context, async (stream) => {
        try {
          await follow(stream)
        } finally {
          open.splice(open.indexOf(name), 1)
        }
      })
      async function follow(stream: SSEStreamingApi): Promise<void> {
        const watch = await watcher.watch()
        const stop = () => stream.abort()
        parts.stopping.addEventListener('abort', stop, { once: true })
        await stream.writeSSE({ event: 'ready', data: '' })
        let spent = 0
        while (!stream.aborted && !parts.stopping.aborted) {
          await watch.wait(Math.max(TOLD_MS, spent * IDLE_SHARE), Math.max(LOOK_MS, spent * IDLE_SHARE))
          if (stream.aborted || parts.stopping.aborted || !(await isStillIn())) break
          const start = performance.now()
          const now = await signature(view).catch(() => known)
          spent = performance.now() - start
          // A comment keeps the connection alive, and detects a browser that has left.
          if (now === known) await stream.write(': still here\n\n')
          else await stream.writeSSE({ event: 'changed', data: '' })
          known = now
        }
        watch.end()
        parts.stopping.removeEventListener('abort', stop)
      }
    },
  }
}

async function signature({ own }: View): Promise<string> {
  const [updated, newest, { sessions }, { events }] = await Promise.all([
    own.list({ limit: 1, includeInactive: true, sort: 'updated' }),
    own.list({ limit: 1, includeInactive: true }),
    own.sessions({ limit: 1 }),
    own.events({ limit: 1 }),
  ])
  const [latest] = updated.memories
  return JSON.stringify([
    updated.totalCount,
    latest && [latest.id, latest.version, latest.updatedAt],
    newest.memories[0]?.id,
    sessions[0] && [sessions[0].id, sessions[0].endedAt],
    events[0]?.id,
  ])
}
