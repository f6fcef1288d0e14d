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
  /** Background work, from the first request until the end. */
  beside?(engine: Nokosu): { stop(): Promise<void> }
}

const requestSchema = z.strictObject({
  id: z.int().min(0),
  call: z.string(),
  input: z.unknown(),
  key: z.exactOptional(z.string().min(1).max(128)),
})

/**
 * Serves a store to the process at the other end of the streams, one request at a time. Ends when the input ends, after
 * everything asked for is done, even if nobody reads the answers any more.
 */
export async function serveStore({ input, output, open, spoolFolders, beside }: StoreServerOptions): Promise<void> {
  let engine: Nokosu | null = null
  let other: { stop(): Promise<void> } | null = null
  // A caller that has ended no longer reads. Its requests are still carried out.
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

/** Null for a message without an id: nobody waits for its answer. */
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
