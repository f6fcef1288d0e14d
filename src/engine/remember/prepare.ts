import { takeDeclaration } from '../../capture/declared-relation.ts'
import { type GuardedCandidate, guardCandidate } from '../../guard/guard.ts'
import { mapBreathing } from '../../model/breathe.ts'
import type { Candidate } from '../../model/candidate.ts'
import { type Identifiers, type Layer, type Scope, scopeOf } from '../../model/layer.ts'
import { memorySchema } from '../../model/memory.ts'
import { heldKey, newKey, saidKey } from '../../model/once-keys.ts'
import type { Embedding } from '../../storage/commit.ts'
import { embeddedText } from '../../text/embedded-text.ts'
import { type Core, embedMemories } from '../core.ts'
import { spokenByOperator } from '../guard-input.ts'
import { type Landing, landingFor } from './landing.ts'
import { nameService } from './service-names.ts'
import type { Target } from './target.ts'

/** A candidate that passed the guard, with its place and its vector. */
export interface Clean extends GuardedCandidate {
  layer: Layer
  identifiers: Identifiers
  scope: Scope
  embedding: Embedding
  /** Whether its embedding had to be made. */
  embeddingGenerated: boolean
  quoted: Embedding | null
  said: string | null
  /** Taken by the first memory with these words. */
  fresh: string
  /** For held text: the same words are held once. */
  held: string | null
}

/** A candidate after the guard: clean, or refused with the reason. */
export type Prepared = { given: Candidate } & ({ clean: Clean } | { refused: string })

type Said = Pick<Candidate, 'content' | 'service'>

/**
 * Everything that happens to candidates before decisions: reads declarations, guards each once, and
 * embeds all in one batch. With `exact` the text stays as given, declarations included.
 */
export async function prepare(
  core: Core,
  target: Target,
  candidates: readonly Candidate[],
  { exact = false, typed }: { exact?: boolean; typed: boolean },
): Promise<Prepared[]> {
  const rules = await mapBreathing(candidates, (given) => guardForStore(core, exact ? given : readDeclaration(given)))
  const byHand = typed && target.session === undefined ? (each: Candidate) => isTyped(each, target) : () => false
  const results = await judgeAll(core, rules, byHand)
  const guarded = candidates.map((given, i) => ({ given, result: results[i]! }))
  const clean = guarded.flatMap(({ result }) => ('refused' in result ? [] : result.candidate))
  const landing = await landingFor(core, target, clean)
  if (!exact) await nameServices(core, landing, guarded)
  const said = guarded.flatMap(({ result }) =>
    'refused' in result ? [] : [result.candidate, ...quotedBy(result.candidate)],
  )
  const embedded = await embedMemories(core, said)
  const byText = new Map(said.map((each, i) => [embeddedText(each), embedded[i]!]))
  return guarded.map(({ given, result }) =>
    'refused' in result ? { given, refused: result.refused } : { given, clean: place(result, target, landing, byText) },
  )
}

/** In order: the first of several spellings names the rest. */
async function nameServices(
  core: Core,
  landing: Landing,
  guarded: readonly { result: GuardedCandidate | { refused: string } }[],
): Promise<void> {
  for (const { result } of guarded) {
    if ('refused' in result || result.candidate.service === null) continue
    const { layer, identifiers } = landing(result.candidate)
    const service = await nameService(core, scopeOf(layer, identifiers), result.candidate.service)
    result.candidate = { ...result.candidate, service }
  }
}

/** Reads `... (was: ...)` and `... (confirms: ...)`, unless the candidate already declares a relation. */
function readDeclaration(candidate: Candidate): Candidate {
  if (candidate.declares !== undefined) return candidate
  const { content, declares, quotes } = takeDeclaration(candidate.content)
  if (declares === undefined) return candidate
  return { ...candidate, content, declares, metadata: { ...quotes, ...candidate.metadata } }
}

const STORED_FIELDS = memorySchema.pick({ service: true, tags: true, anchor: true, metadata: true })

type Guarded = GuardedCandidate | { refused: string }

/** The model judges everything that no operator typed, in one batch. */
async function judgeAll(
  core: Core,
  rules: readonly Guarded[],
  isTyped: (candidate: Candidate) => boolean,
): Promise<Guarded[]> {
  const open = rules.filter((each): each is GuardedCandidate => 'candidate' in each && !isTyped(each.candidate))
  const judged = await core.judge(open)
  const answers = new Map<Guarded, Guarded>(open.map((each, i) => [each, judged[i]!]))
  return rules.map((each) => answers.get(each) ?? ('refused' in each ? each : spokenByOperator(each)))
}

/** Added by hand, outside any session. */
function isTyped(candidate: Candidate, { source = candidate.source, tier = candidate.tier ?? 1 }: Target): boolean {
  return source === 'manual' && tier === 0
}

/** Applies the guard's rules; text that cannot be stored is refused. */
function guardForStore(core: Core, candidate: Candidate): Guarded {
  if (candidate.declares !== undefined && candidate.content === '')
    return { refused: 'it says what was believed, but not what is true now' }
  const { maxContentLength } = core.storage.capabilities
  const guarded = guardCandidate(candidate, { maxLength: maxContentLength })
  if ('refused' in guarded) return guarded
  const { service, tags, anchor, metadata } = guarded.candidate
  const unfit = STORED_FIELDS.safeParse({ service, tags, anchor, metadata })
  if (unfit.success) return guarded
  const [issue] = unfit.error.issues
  return { refused: `its ${String(issue!.path[0])} cannot be stored: ${issue!.message}` }
}

function place(
  guarded: GuardedCandidate,
  { session }: Target,
  landing: Landing,
  embedded: ReadonlyMap<string, { embedding: Embedding; generated: boolean }>,
): Clean {
  const { quarantine } = guarded
  const { layer, identifiers, metadata } = landing(guarded.candidate)
  const candidate = { ...guarded.candidate, metadata }
  const scope = scopeOf(layer, identifiers)
  const { embedding, generated } = embedded.get(embeddedText(candidate))!
  const [quoted] = quotedBy(candidate).map((each) => embedded.get(embeddedText(each))!.embedding)
  return {
    ...guarded,
    ...{ candidate, layer, identifiers, scope, embedding, embeddingGenerated: generated },
    quoted: quoted ?? null,
    said: session === undefined ? null : saidKey(session, scope, candidate),
    fresh: newKey(scope, candidate),
    held: quarantine ? heldKey(scope, candidate) : null,
  }
}

/** The text that a candidate quotes, as a memory of its service; none if it names the memory by id. */
function quotedBy({ declares, service }: Candidate): Said[] {
  return declares === undefined || declares.memory !== undefined ? [] : [{ content: declares.text, service }]
}
