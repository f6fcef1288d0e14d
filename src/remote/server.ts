import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { parseInput } from '../model/parse.ts'
import { readJsonLines, toJsonLine } from './json-lines.ts'
import { perform, type Served, type StoreAnswer, type StoreRequest } from './protocol.ts'
import { deliverSpool } from './spool-deliver.ts'

export interface StoreServerOptions {
  input: Readable
  output: Writable
  /** Opened with the first request. After a failure the next request tries again. */
  open(): Promise<Nokosu>
  spoolFolders: readonly string[]
  /** What goes on beside the requests, from the first one until the end. */
  beside?(engine: Nokosu): { stop(): Promise<void> }
}

const requestSchema = z.strictObject({
  id: z.int().min(0),
  call: z.string(),
  input: z.unknown(),
  key: z.exactOptional(z.string().min(1).max(128)),
})

/**
 * Serves a store to the process at the other end of the streams, one request after the other. Ends when the input ends, after
 * everything that was asked is done, whether or not anybody still reads the answers.
 */
export async function serveStore({ input, output, open, spoolFolders, beside }: StoreServerOptions): Promise<void> {
  let engine: Nokosu | null = null
  let other: { stop(): Promise<void> } | null = null
  // A caller that is gone does not read any more. What it asked for is done all the same.
  output.on('error', () => {})
  const serve = async (): Promise<Served> => {
    engine ??= await open()
    const own = engine
    other ??= beside?.(own) ?? null
    return { engine: own, deliver: (ms) => deliverSpool(own, spoolFolders, ms) }
  }
  try {
    for await (const message of readJsonLines(input)) {
      const reply = await answer(serve, message)
      if (reply !== null && !output.destroyed) output.write(toJsonLine(reply))
    }
  } finally {
    await (other as { stop(): Promise<void> } | null)?.stop()
    await (engine as Nokosu | null)?.shutdown()
  }
}

/** Null for a message without an id: nobody waits for an answer to it. */
async function answer(serve: () => Promise<Served>, message: unknown): Promise<StoreAnswer | null> {
  const id = (message as { id?: unknown } | null)?.id
  if (typeof id !== 'number') return null
  try {
    const request = parseInput(requestSchema, message, 'request') as StoreRequest
    return { id, value: await perform(await serve(), request) }
  } catch (error) {
    return { id, error: toMemoryError(error).toJSON() }
  }
}

function toMemoryError(error: unknown): MemoryError {
  if (MemoryError.is(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new MemoryError('PROVIDER_ERROR', message, { retryable: false, cause: error })
}
