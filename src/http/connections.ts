import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Milliseconds between two checks for idle connections. */
const LOOK_MS = 20

/**
 * Closes a server gracefully: it accepts no new connections, answers requests in progress, and closes connections without one
 * immediately, even those that never sent anything. After `graceMs` the rest is cut off.
 */
export function closeInOrder(server: Server): (graceMs: number) => Promise<void> {
  const requests = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    requests.set(socket, 0)
    socket.once('close', () => requests.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => requests.set(socket, (requests.get(socket) ?? 1) - 1))
  })
  return async (graceMs) => {
    const closed = new Promise((resolve) => server.close(resolve))
    const closeIdle = () => {
      for (const [socket, count] of requests) if (count === 0) socket.destroySoon()
    }
    closeIdle()
    const idle = setInterval(closeIdle, LOOK_MS)
    const impatient = setTimeout(() => server.closeAllConnections(), graceMs)
    await closed
    clearInterval(idle)
    clearTimeout(impatient)
  }
}
