import { type Decay, decayed } from '../../lifecycle/decay.ts'
import { filterTests } from '../../model/filter.ts'
import { GUARDS } from '../../model/guards.ts'
import { SHARED_NOTE } from '../../model/landing.ts'
import type { ScopeSelector } from '../../model/layer.ts'
import type { StoredMemory } from '../../storage/memory-query.ts'
import type { SearchQuery } from '../../storage/search-query.ts'
import type { Storage } from '../../storage/storage.ts'
import { tokenize } from '../../text/tokens.ts'
import { findCandidates } from '../find.ts'
import { type Featured, featuresOf } from './features.ts'
import { memoryWords } from './memory-words.ts'
import { chooseParts } from './parts.ts'
import type { Scene } from './scene.ts'
import { sceneTokens, weighTokens } from './terms.ts'
import { addNearness, addToDrift, isAsking, startTrace, type Trace } from './trace.ts'

export interface MomentEngine {
  storage: Storage
  scopes: readonly ScopeSelector[] | null
  /** Notes of other agents in the project that are not private; null to exclude them. */
  others: ScopeSelector | null
  now: Date
  decay?: Decay
  embed(text: string): Promise<Float32Array>
  calibrate(cosine: number): number
  /** Runs a storage read, and retries it after a transient failure. */
  attempt<T>(work: () => Promise<T>): Promise<T>
}

/** Candidates per vector, and by words. */
const CANDIDATES = 24
const MOST_GUARD_TOKENS = 24
/** Flagged notes of other agents are not shared. */
const TRUSTED = ['operator', 'agent', 'corroborated'] as const

/**
 * Candidates with their features, and the session's trace with this moment. Words come first: they show whether there
 * is anything to compare (if not, no model is loaded), and which parts of a long output are worth comparing.
 */
export async function gather(
  engine: MomentEngine,
  scene: Scene,
  known: Trace,
): Promise<{ found: Featured[]; trace: Trace }> {
  const { storage, attempt, embed, scopes, now } = engine
  const before = isAsking(scene) ? startTrace(scene.text) : known
  const tokens = sceneTokens(scene)
  if (tokens.length === 0) return { found: [], trace: before }
  const asked = { scopes, where: { visibleAt: now.toISOString() }, limit: CANDIDATES }
  const byOthers = engine.others === null ? [] : [{ ...ofOthers(engine.others, now), tokens }]
  const byWords = [{ ...asked, tokens }, ...byOthers, ...guardTokens(scene).map((own) => ({ ...asked, tokens: own }))]
  const [worded, ...alsoWorded] = await attempt(() =>
    findCandidates(
      storage,
      byWords.map((query) => ({ ...query, vector: null })),
    ),
  )
  const others = byOthers.filter((_, i) => alsoWorded[i]!.documents > 0)
  if (worded!.documents === 0 && others.length === 0) return { found: [], trace: before }
  // A word that only another agent's note contains is informative too.
  const ofNotes = others.length === 0 ? [] : alsoWorded[0]!.frequencies
  const frequencies = worded!.frequencies.map((frequency, i) => frequency + (ofNotes[i] ?? 0))
  const weights = weighTokens(tokens, frequencies, worded!.documents)

  const vector = await embed(scene.text)
  const inContext = before.prompt === '' || isAsking(scene) ? vector : await embed(`${before.prompt}\n${scene.text}`)
  const parts: { text: string; vector: Float32Array }[] = []
  for (const text of chooseParts(scene, weights)) parts.push({ text, vector: await embed(text) })
  const vectors = [...new Set([vector, inContext, ...parts.map((part) => part.vector)])]
  const near = await attempt(() =>
    findCandidates(storage, [
      ...vectors.map((each) => ({ ...asked, vector: each, tokens: [] })),
      ...others.map((query) => ({ ...query, vector: inContext, tokens: [] })),
    ]),
  )
  const all = new Map<string, StoredMemory>()
  for (const { candidates } of [worded!, ...alsoWorded, ...near])
    for (const each of candidates) all.set(each.memory.id, each)
  const candidates = [...all.values()].map((stored) => ({
    ...stored,
    memory: decayed(stored.memory, now, engine.decay),
  }))

  const prompt = isAsking(scene) ? vector : (before.promptVector ?? vector)
  const promptWeights = isAsking(scene) ? weights : before.promptWeights
  const sought = { scene, now: vector, inContext, parts, prompt, weights, promptWeights, calibrate: engine.calibrate }
  const found = featuresOf(candidates, sought, before)
  const trace: Trace = {
    ...before,
    promptVector: before.promptVector ?? (isAsking(scene) ? vector : null),
    promptWeights,
    moments: before.moments + 1,
    drift: addToDrift(before.drift, vector),
    tokens: new Set([...before.tokens, ...tokens]),
    services: new Set([...before.services, ...servicesNamed(found, tokens)]),
    near: new Map([
      ...before.near,
      ...found.map(
        ({ memory, near: how }) => [memory.id, addNearness(before.near.get(memory.id), how, before.moments)] as const,
      ),
    ]),
  }
  return { found, trace }
}

/** The words of an action, with the token common to all guard tags, so that guards of the action rank first. */
function guardTokens({ kind, tool, commands, paths }: Scene): string[][] {
  if (kind !== 'tool') return []
  const said = [GUARDS, tool ?? '', ...commands.flatMap(({ words }) => words), ...paths].join(' ')
  return [[...new Set(tokenize(said))].slice(0, MOST_GUARD_TOKENS)]
}

function ofOthers(scope: ScopeSelector, now: Date): Pick<SearchQuery, 'scopes' | 'where' | 'limit'> {
  const filter = filterTests({ [SHARED_NOTE]: true })
  return { scopes: [scope], where: { visibleAt: now.toISOString(), trust: TRUSTED, filter }, limit: CANDIDATES / 2 }
}

/** The services of candidates that the moment names. */
function servicesNamed(found: readonly Featured[], tokens: readonly string[]): string[] {
  const said = new Set(tokens)
  return found.flatMap(({ memory }) => {
    if (memory.service === null) return []
    return memoryWords(memory).service.every((token) => said.has(token)) ? [memory.service] : []
  })
}
