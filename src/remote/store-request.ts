import { type Shown, type ShowRequest, showMemories } from '../claude-code/show-memories.ts'
import type { Nokosu } from '../engine/open-memory.ts'
import type { Candidate } from '../model/candidate.ts'
import type { Identifiers } from '../model/layer.ts'
import { deliverSpool } from './spool-deliver.ts'

export interface KeepRequest {
  identifiers: Identifiers
  session: string
  candidates: Candidate[]
  /** Whether the session is over. */
  ended: boolean
}

export interface Kept {
  /** New, reinforced or corrected; not what was known. */
  stored: number
  notes: string[]
}

/** What a hook asks of the process that holds the store. Both are answered more than once, better each time. */
export type StoreRequest = ({ kind: 'show' } & ShowRequest) | ({ kind: 'keep' } & KeepRequest)

/** The other side of `askStore`: what earlier sessions could not deliver is delivered on the way. */
export async function* answerRequest(
  engine: Nokosu,
  request: StoreRequest,
  spoolFolders: readonly string[],
): AsyncGenerator<Shown | Kept> {
  if (request.kind === 'keep') {
    const kept = await keepCandidates(engine, request)
    // Said at once: a delivery that takes too long does not undo it.
    yield { ...kept, notes: [] }
    yield { ...kept, notes: await deliver(engine, spoolFolders) }
    return
  }
  const { look, record } = showMemories(engine, request)
  yield* look()
  const notes = await deliver(engine, spoolFolders)
  const recorded = await record()
  yield { ...recorded, notes: [...recorded.notes, ...notes] }
}

async function keepCandidates(engine: Nokosu, request: KeepRequest): Promise<{ stored: number }> {
  const { identifiers, session, candidates, ended } = request
  const now = new Date().toISOString()
  const known = await engine.storage.getSession(session)
  const begun = known ?? { ...NEW_SESSION, id: session, project: identifiers.projectId ?? null, startedAt: now }
  if (known === null || ended) await engine.storage.putSession({ ...begun, endedAt: ended ? now : begun.endedAt })
  if (candidates.length === 0) return { stored: 0 }
  const outcomes = await engine.remember(candidates, { identifiers, session })
  return { stored: outcomes.filter(({ kind }) => kind !== 'duplicate' && kind !== 'refuse').length }
}

const NEW_SESSION = { agent: null, tier: null, role: null, endedAt: null, exitCode: null, outcome: null }

/** Says what could not be delivered this time either. */
async function deliver(engine: Nokosu, folders: readonly string[]): Promise<string[]> {
  const { failures } = await deliverSpool(engine, folders)
  return failures.map((failure) => `an earlier session stays in the spool: ${failure}`)
}
