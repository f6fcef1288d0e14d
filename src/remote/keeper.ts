import type { Profile } from '../agents/personality.ts'
import type { Nokosu } from '../engine/open-memory.ts'
import type { Outcome } from '../engine/remember.ts'
import type { Candidate } from '../model/candidate.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Session } from '../model/records.ts'
import type { InjectionRecord } from '../storage/storage.ts'
import type { SpoolTarget } from './spool.ts'
import { type DeliveryReport, deliverSpool } from './spool-deliver.ts'

/**
 * What a run asks of its keeper: the process that holds the store. A call into SQLite blocks its whole process for as long
 * as the file is locked, and a disk may hang for longer; in a process of its own it can be left behind.
 */
export type KeeperRequest =
  /** Reads only, so that it works beside a writer and on a read-only store. */
  | { kind: 'look'; identifiers: Identifiers; format: 'file' | 'operational' }
  /** The same, and the session and what it is shown are recorded. */
  | { kind: 'begin'; identifiers: Identifiers; format: 'file' | 'operational'; session: Session }
  | { kind: 'record'; injection: InjectionRecord }
  | { kind: 'remember'; candidates: Candidate[]; target: SpoolTarget }
  | { kind: 'end'; session: Session }
  | { kind: 'deliver' }

export interface Shown {
  personality: Profile | null
  /** The block of memories; empty when there are none. */
  text: string
  entries: InjectionRecord['entries']
  available: number
}

/** What the run needs to know of an outcome. */
export type Told = Pick<Outcome, 'kind' | 'reason' | 'content' | 'category' | 'service'> & { memory: string | null }

export interface KeeperAnswers {
  look: Shown
  begin: Shown
  record: null
  remember: Told[]
  end: null
  deliver: DeliveryReport
}

export type KeeperMessage = { id: number; request: KeeperRequest }
export type KeeperReply = { id: number; value: unknown } | { id: number; error: string }

export interface KeeperOptions {
  open(): Promise<Nokosu>
  spool: readonly string[]
}

/** Serves the run that started this process, one request after the other, until the run lets go. */
export async function keepStore({ open, spool }: KeeperOptions): Promise<void> {
  let engine: Nokosu | null = null
  let queue = Promise.resolve()
  const answer = async ({ id, request }: KeeperMessage): Promise<void> => {
    let reply: KeeperReply
    try {
      engine ??= await open()
      reply = { id, value: await handle(engine, request, spool) }
    } catch (error) {
      reply = { id, error: error instanceof Error ? error.message : String(error) }
    }
    // The run may be gone by now; what was asked is done all the same.
    if (process.connected) process.send!(reply, undefined, undefined, () => {})
  }
  process.on('message', (message) => {
    queue = queue.then(() => answer(message as KeeperMessage))
  })
  await new Promise<void>((resolve) => process.once('disconnect', resolve))
  await queue
  await (engine as Nokosu | null)?.shutdown()
}

async function handle(engine: Nokosu, request: KeeperRequest, spool: readonly string[]): Promise<unknown> {
  switch (request.kind) {
    case 'look':
      return show(engine, request)
    case 'begin':
      await engine.storage.putSession(request.session)
      return show(engine, request, request.session.id)
    case 'record':
      await engine.storage.recordInjection(request.injection)
      return null
    case 'remember':
      return (await engine.remember(request.candidates, request.target)).map(toTold)
    case 'end':
      await engine.storage.putSession(request.session)
      return null
    case 'deliver':
      return deliverSpool(engine, spool)
  }
}

async function show(
  engine: Nokosu,
  { identifiers, format }: KeeperRequest & { kind: 'look' | 'begin' },
  session?: string,
): Promise<Shown> {
  const { agentId } = identifiers
  const context = await engine.context({ identifiers, format, ...(session === undefined ? {} : { session }) })
  const personality = agentId === undefined ? null : await engine.personality.profile(agentId)
  const entries = context.included.map(({ id, tokens }, position) => ({ memory: id, position, tokens }))
  return { personality, text: context.text, entries, available: context.available }
}

function toTold({ kind, reason, content, category, service, memory }: Outcome): Told {
  return { kind, reason, content, category, service, memory: memory?.id ?? null }
}
