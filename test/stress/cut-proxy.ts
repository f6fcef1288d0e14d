import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy between a process and a server that fails like a network. */
export interface CutProxy {
  port: number
  /** Breaks the open connections. */
  cut(): void
  /** Drops server answers from now on; requests still arrive. Ends with a cut. */
  loseAnswers(): void
  /** Number of lost answers. */
  lost(): number
  /** Blocks all connections until unblocked. */
  refuse(isRefused: boolean): void
  close(): Promise<void>
}

export async function cutProxy(server: { host: string; port: number }): Promise<CutProxy> {
  const pairs = new Set<[client: Socket, upstream: Socket]>()
  let isRefused = false
  let isDeaf = false
  let lost = 0
  const listener = createServer((client) => {
    if (isRefused) return void client.destroy()
    const upstream = connect(server.port, server.host)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end)
    client.on('data', (data) => void upstream.write(data))
    upstream.on('data', (data) => {
      if (isDeaf) lost++
      else client.write(data)
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const cut = () => {
    isDeaf = false
    for (const [client, upstream] of pairs) {
      client.destroy()
      // The request is executed: the server sees the disconnect afterwards.
      upstream.end()
    }
  }
  return {
    port: (listener.address() as { port: number }).port,
    cut,
    loseAnswers: () => {
      isDeaf = true
    },
    lost: () => lost,
    refuse: (value) => {
      isRefused = value
      if (value) cut()
    },
    async close() {
      listener.close()
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      await once(listener, 'close')
    },
  }
}
