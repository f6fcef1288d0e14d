import { streamSSE } from 'hono/streaming'
import type { Route, ServerParts } from '../route.ts'
import { pageRoute } from './page-route.ts'
import type { View } from './view.ts'

/** Milliseconds between two looks at the store: other processes write to it, and nobody tells this one. */
const LOOK_MS = 1500
/** A store that is slow to look at is looked at less often: at most one part in so many of the time is spent on it. */
const IDLE_SHARE = 20

/** Tells a page that what it shows has changed. */
export function liveRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/live',
      summary: 'Tells a page that memories, runs or events have changed (server-sent events).',
      async handle(view) {
        // Before the stream begins: a caller who may not look is told so.
        let known = await signature(view)
        return streamSSE(view.context, async (stream) => {
          const stop = () => stream.abort()
          parts.stopping.addEventListener('abort', stop, { once: true })
          await stream.writeSSE({ event: 'ready', data: '' })
          let pause = LOOK_MS
          while (!stream.aborted && !parts.stopping.aborted) {
            await wait(pause, parts.stopping)
            if (stream.aborted || parts.stopping.aborted) break
            const start = performance.now()
            const now = await signature(view).catch(() => known)
            pause = Math.max(LOOK_MS, (performance.now() - start) * IDLE_SHARE)
            // A comment keeps the connection, and notices a browser that has left.
            if (now === known) await stream.write(': still here\n\n')
            else await stream.writeSSE({ event: 'changed', data: '' })
            known = now
          }
          parts.stopping.removeEventListener('abort', stop)
        })
      },
    }),
  ]
}

/** Differs when something that a page lists has changed. */
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

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
