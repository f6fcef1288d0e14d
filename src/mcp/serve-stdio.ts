import { PassThrough, type Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

export interface StdioOptions {
  input: Readable
  output: Writable
  create(): McpServer
  /** Ends the service, as the end of the input does. */
  signal?: AbortSignal
  /** Called for an invalid message or a connection error. */
  onError(error: Error): void
}

/** Time for unfinished answers when the input ends. */
const LAST_ANSWERS_MS = 10_000

/** Serves one client until its input ends, and answers all earlier requests. */
export async function serveMcpOnStdio({ input, output, create, signal, onError }: StdioOptions): Promise<void> {
  // The transport drops pending work when its input ends, so it gets an input that ends later.
  const inlet = new PassThrough()
  const transport = new CountingTransport(inlet, output)
  const service = serveStdio(create, { transport, onerror: onError })
  input.on('data', (part: Uint8Array) => inlet.write(part))
  await Promise.race([finished(input, { writable: false }).catch(onError), aborted(signal), transport.closed])
  await transport.quiet(LAST_ANSWERS_MS)
  await service.close()
}

/** Tracks requests without an answer. */
class CountingTransport extends StdioServerTransport {
  readonly #open = new Set<string | number>()
  #becameQuiet = () => {}
  #becameClosed = () => {}
  /** Resolves when nobody reads the answers any more. */
  readonly closed = new Promise<void>((resolve) => {
    this.#becameClosed = resolve
  })

  override async start(): Promise<void> {
    const { onmessage, onclose } = this
    this.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.#open.add(message.id)
      onmessage?.(message)
    }
    this.onclose = () => {
      this.#becameClosed()
      onclose?.()
    }
    await super.start()
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message)
    } finally {
      if (!('method' in message) && message.id !== undefined) this.#open.delete(message.id)
      if (this.#open.size === 0) this.#becameQuiet()
    }
  }

  async quiet(ms: number): Promise<void> {
    // Messages that have just arrived are processed before counting.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#open.size === 0) return
    const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref())
    const quiet = new Promise<void>((resolve) => {
      this.#becameQuiet = resolve
    })
    await Promise.race([quiet, late, this.closed])
  }
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined || signal.aborted) return signal === undefined ? new Promise(() => {}) : undefined
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
