import { guardCandidate } from '../../guard/guard.ts'
import type { Candidate } from '../../model/candidate.ts'
import { type Identifiers, type Layer, type Scope, scopeOf } from '../../model/layer.ts'
import { memorySchema } from '../../model/memory.ts'
import { heldKey, newKey, saidKey } from '../../model/once-keys.ts'
import type { Embedding } from '../../storage/commit.ts'
import { embeddedText } from '../../text/embedded-text.ts'
import { type Core, embedMemories } from '../core.ts'
import type { Target } from './target.ts'

export type GuardResult = ReturnType<typeof guardCandidate>

/** A candidate that the guard let through, with where it lands and what it is compared by. */
export interface Clean extends Exclude<GuardResult, { refused: string }> {
  layer: Layer
  identifiers: Identifiers
  scope: Scope
  embedding: Embedding
  quoted: Embedding | null
  said: string | null
  /** Taken by the first who stores these words. */
  fresh: string
  /** Of what is held back: the same words are held once. */
  held: string | null
}

type Said = Pick<Candidate, 'content' | 'service'>

/** The words that a candidate quotes, as a memory of its service. */
function quotedBy(candidate: Candidate): Said[] {
  return isQuoting(candidate) ? [{ content: candidate.declares.text, service: candidate.service }] : []
}

const STORED_FIELDS = memorySchema.pick({ service: true, tags: true, anchor: true, metadata: true })

/** The guard's rules, then its model; what could not be stored is refused. */
export async function guardForStore(core: Core, candidate: Candidate): Promise<GuardResult> {
  const { maxContentLength } = core.storage.capabilities
  const guarded = guardCandidate(candidate, { maxLength: maxContentLength })
  if ('refused' in guarded) return guarded
  const unfit = STORED_FIELDS.safeParse({
    service: guarded.candidate.service,
    tags: guarded.candidate.tags,
    anchor: guarded.candidate.anchor,
    metadata: guarded.candidate.metadata,
  })
  if (unfit.success) return core.judge(guarded)
  const [issue] = unfit.error.issues
  return { refused: `its ${String(issue!.path[0])} cannot be stored: ${issue!.message}` }
}

/** Vectors for all at once; null for what was refused. */
export async function embedGuarded(
  core: Core,
  target: Target,
  guarded: readonly GuardResult[],
): Promise<(Clean | null)[]> {
  const said = guarded.flatMap((each) => ('refused' in each ? [] : [each.candidate, ...quotedBy(each.candidate)]))
  const embeddings = await embedMemories(core, said)
  const embedded = new Map(said.map((each, i) => [embeddedText(each), embeddings[i]!.embedding]))
  const embeddingOf = (each: Said) => embedded.get(embeddedText(each))!
  return guarded.map((each) => {
    if ('refused' in each) return null
    const { candidate } = each
    const { layer, identifiers } = landing(candidate, target)
    const scope = scopeOf(layer, identifiers)
    const { session } = target
    const said = session === undefined ? null : saidKey(session, scope, candidate)
    const quoted = quotedBy(candidate).map(embeddingOf)[0] ?? null
    const fresh = newKey(scope, candidate)
    const held = each.quarantine ? heldKey(scope, candidate) : null
    return { ...each, layer, identifiers, scope, embedding: embeddingOf(candidate), quoted, said, fresh, held }
  })
}

/** In a run with an agent its own layer, so that it comes back to that agent; else the project's. */
function landing(candidate: Candidate, target: Target): { layer: Layer; identifiers: Identifiers } {
  const identifiers = { ...target.identifiers, ...candidate.identifiers }
  const layer = target.layer ?? candidate.layer ?? (identifiers.agentId === undefined ? 'project' : 'agent')
  return { layer, identifiers }
}

/** Whether it quotes what it declares about, and does not name it. */
function isQuoting(candidate: Candidate): candidate is Candidate & { declares: NonNullable<Candidate['declares']> } {
  return candidate.declares !== undefined && candidate.declares.memory === undefined
}
