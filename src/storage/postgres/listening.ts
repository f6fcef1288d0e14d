import { setTimeout as sleep } from 'node:timers/promises'
import type { PgPool } from './pg-pool.ts'

/** Delay before reconnecting. */
const AGAIN_MS = 2000

/** Listens on dedicated connections, and replaces each when it is lost. */
export function listening(pool: PgPool) {
  const ends = new Set<() => Promise<void>>()

  async function listen(channel: string, heard: () => void): Promise<() => Promise<void>> {
    const over = new AbortController()
    const keeping = keepLine(pool, channel, heard, await openLine(pool, channel, heard), over.signal)
    const end = async () => {
      ends.delete(end)
      over.abort()
      await keeping
    }
    ends.add(end)
    return end
  }

  return { listen, endAll: async () => void (await Promise.all([...ends].map((end) => end()))) }
}

interface Line {
  lost: Promise<void>
  close(): void
}

async function openLine(pool: PgPool, channel: string, heard: () => void): Promise<Line> {
  const connection = await pool.connect()
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  connection.on('notification', heard)
  connection.on('error', resolve)
  connection.on('end', resolve)
  const line = {
    lost,
    close() {
      connection.off('notification', heard)
      // Back in the pool it would keep listening.
      connection.release(true)
    },
  }
  try {
    await connection.query(`LISTEN ${channel}`)
    return line
  } catch (error) {
    line.close()
    throw error
  }
}

async function keepLine(
  pool: PgPool,
  channel: string,
  heard: () => void,
  first: Line,
  over: AbortSignal,
): Promise<void> {
  const ended = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }))
  for (let line: Line | null = first; ; ) {
    await (line
      ? Promise.race([line.lost, ended])
      : sleep(AGAIN_MS, undefined, { ref: false, signal: over }).catch(() => {}))
    line?.close()
    if (over.aborted) return
    // Keep trying while the server is down.
    line = await openLine(pool, channel, heard).catch(() => null)
    // Notifications in between were missed.
    if (line) heard()
  }
}
