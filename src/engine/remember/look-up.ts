import { decayed } from '../../lifecycle/decay.ts'
import { bareDigestOf, digestOf, RETRACTED } from '../../lifecycle/decisions.ts'
import type { Candidate } from '../../model/candidate.ts'
import { filterTests } from '../../model/filter.ts'
import { type Scope, type ScopeSelector, scopeOf } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import { countedKey, opposedKey, retractedKey } from '../../model/once-keys.ts'
import { findCandidates } from '../../recall/find.ts'
import type { SearchQuery } from '../../storage/search-query.ts'
import { tokenize } from '../../text/tokens.ts'
import { readable, readerOf } from '../claim.ts'
import type { Core } from '../core.ts'
import { type PastReview, reviewStateOf } from './past-review.ts'
import type { Clean } from './prepare.ts'
import { hasUnembedded } from './some-unembedded.ts'
import { opponentOf, type Target } from './target.ts'

/** Neighbours compared with a candidate: the nearest in its scope, whatever their labels. */
export const NEIGHBOURS = 10
/** The same in the related layer: the agent's own for a project fact, the project's for others. */
const NEIGHBOURS_ELSEWHERE = 3
/** Memories without a vector that share words with a candidate. */
const NEIGHBOURS_BY_WORDS = 5
/** Maximum words of a candidate to search for. */
const MOST_WORDS = 8
/** Maximum showings of a session checked for echoes. */
const MOST_SHOWN = 1000

/** The caller and the time. */
export interface View {
  core: Core
  target: Target
  now: Date
  mayChange(memory: Memory): boolean
}

/** What the store knows about the candidates. */
export interface Material {
  neighbours: Map<Clean, Map<string, { memory: Memory; vector: Float32Array | null }>>
  /** Existing once-keys. */
  known: ReadonlySet<string>
  /** Memories that the agent or the session has contradicted. */
  opposed: ReadonlySet<string>
  /** Memories that the session was shown or offered. */
  shown: ReadonlySet<string>
  /** Those that candidates name by id. */
  named: ReadonlyMap<string, Memory>
  /** Those whose text an operator has retracted. */
  retracted: ReadonlySet<Clean>
  /** For texts that would be held or marked: the earlier decision about the same text. */
  pastReviews: ReadonlyMap<Clean, PastReview>
}

/** Everything the decisions need from the store, in few queries. */
export async function lookUp(view: View, clean: readonly Clean[]): Promise<Material> {
  const { core, target, now } = view
  const { storage, attempt } = core
  const { session, offered = [] } = target
  if (clean.length === 0) {
    const none = new Set<string>()
    const nothing = { neighbours: new Map(), known: none, opposed: none, shown: none, named: new Map() }
    return { ...nothing, retracted: new Set(), pastReviews: new Map() }
  }
  const ownScopes = new Map(clean.map(({ scope }) => [JSON.stringify(scope), selectorOf(scope)]))
  const byWords = await hasUnembedded(core, [...ownScopes.values()])
  const asked = clean.flatMap((each) => questionsAbout(each, now, byWords))
  const found = await attempt(() =>
    findCandidates(
      storage,
      asked.map(({ query }) => query),
    ),
  )
  const neighbours = new Map<Clean, Map<string, { memory: Memory; vector: Float32Array | null }>>()
  asked.forEach(({ of }, i) => {
    const own = neighbours.get(of) ?? new Map()
    for (const { memory, vector } of found[i]!.candidates) {
      own.set(memory.id, { memory: decayed(memory, now, core.settings.decay), vector })
    }
    neighbours.set(of, own)
  })
  const names = clean.flatMap(({ candidate }) => candidate.declares?.memory ?? [])
  const ids = new Set([...[...neighbours.values()].flatMap((own) => [...own.keys()]), ...names])
  const opponent = opponentOf(target)
  const counted = session === undefined ? [] : [...ids].map((id) => countedKey(session, id))
  const opposing = opponent === undefined ? [] : [...ids].map((id) => opposedKey(opponent, id))
  const withdrawn = clean.map(({ scope, candidate }) =>
    wordsOf(candidate.content).flatMap((words) => [retractedKey(null, words), retractedKey(scope, words)]),
  )
  const keys = new Set([...clean.flatMap(({ said }) => said ?? []), ...counted, ...opposing, ...withdrawn.flat()])
  const [known, showings] = await Promise.all([
    keys.size === 0 ? new Set<string>() : attempt(() => storage.known([...keys])),
    session === undefined || ids.size === 0
      ? null
      : attempt(() => storage.injections({ session, memory: null, after: null, limit: MOST_SHOWN })),
  ])
  const pastReviews = new Map<Clean, PastReview>()
  for (const each of clean) {
    const past = each.flags.length === 0 ? null : await reviewStateOf(core, each.scope, each.candidate.content)
    if (past !== null) pastReviews.set(each, past)
  }
  const retracted = new Set<Clean>()
  for (const [i, each] of clean.entries())
    if (withdrawn[i]!.some((key) => known.has(key)) && (await isWithdrawn(core, each))) retracted.add(each)
  const shown = new Set([...offered, ...(showings?.items ?? []).map(({ memory }) => memory)])
  return {
    neighbours,
    known,
    opposed: new Set([...ids].filter((id) => opponent !== undefined && known.has(opposedKey(opponent, id)))),
    shown,
    retracted,
    pastReviews,
    named: await lookUpNamed(
      view,
      names.filter((id) => shown.has(id)),
    ),
  }
}

/** Whether a retraction of this text still applies: in a layer that its readers see, or anywhere in its project. */
async function isWithdrawn(core: Core, { scope, identifiers, candidate }: Clean): Promise<boolean> {
  const { projectId } = identifiers
  const { scopes } = await readable(core, identifiers, undefined)
  const inProject = projectId === undefined ? [] : PARTS.map((layer) => ({ layer, agentsOf: projectId }))
  for (const places of [[selectorOf(scope)], scopes, inProject]) {
    for (const words of places.length === 0 ? [] : wordsOf(candidate.content)) {
      const filter = filterTests({ [`${RETRACTED}.words`]: words })
      const query = { scopes: places, where: { filter }, order: 'newest' as const }
      const one = { ...query, limit: 1, after: null, count: false, vectors: false }
      if ((await core.attempt(() => core.storage.memories(one))).items.length > 0) return true
    }
  }
  return false
}

const PARTS = ['agent', 'task', 'section'] as const

/** Text as a retraction stores it; older stores kept the emphasis too. */
function wordsOf(content: string): string[] {
  return [...new Set([bareDigestOf(content), digestOf(content)])]
}

/** Memories of any scope that this session was shown, may still read, and may change. */
async function lookUpNamed(
  { core, target, now, mayChange }: View,
  ids: readonly string[],
): Promise<Map<string, Memory>> {
  if (ids.length === 0) return new Map()
  const { storage, attempt } = core
  const mayRead = await readerOf(core, target.identifiers)
  const stored = (await attempt(() => storage.get([...new Set(ids)]))).map(({ memory }) => memory)
  const found = stored.filter((memory) => mayRead(memory) && mayChange(memory))
  return new Map(found.map((memory) => [memory.id, decayed(memory, now, core.settings.decay)]))
}

function questionsAbout(clean: Clean, now: Date, byWords: boolean): { of: Clean; query: SearchQuery }[] {
  const { scope, candidate, embedding, quoted, held } = clean
  // Held text is compared with nothing, because it must not change what is known. Nor is a pure confirmation.
  if (held !== null || isConfirming(candidate)) return []
  const question = (by: Pick<SearchQuery, 'vector' | 'tokens'>, scope: ScopeSelector, limit: number) => ({
    of: clean,
    query: {
      scopes: [scope],
      where: { visibleAt: now.toISOString(), ...(by.vector === null ? { embedded: false } : {}) },
      ...by,
      limit,
    },
  })
  const meaning = { vector: embedding.vector, tokens: [] }
  const words = { vector: null, tokens: tellingWords(candidate.content) }
  const [own, ...beside] = [scope, ...scopesBeside(clean)].map(selectorOf)
  return [
    question(meaning, own!, NEIGHBOURS),
    ...(quoted ? [question({ vector: quoted.vector, tokens: [] }, own!, NEIGHBOURS)] : []),
    ...[...beside, ...otherTasks(clean)].map((each) => question(meaning, each, NEIGHBOURS_ELSEWHERE)),
    // Rows of other programs, or with another model's vector, are found by words.
    ...(!byWords || words.tokens.length === 0 ? [] : [question(words, own!, NEIGHBOURS_BY_WORDS)]),
  ]
}

/** Long words and those with a digit are the most significant. */
function tellingWords(content: string): string[] {
  const weight = (word: string) => word.length + (/\d/.test(word) ? 10 : 0)
  return [...new Set(tokenize(content))].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_WORDS)
}

/** The related layer that a reader of this one also sees. */
function scopesBeside({ scope, identifiers }: Clean): Scope[] {
  const { agentId, projectId } = identifiers
  if (scope.layer !== 'project') return projectId === undefined ? [] : [scopeOf('project', identifiers)]
  return agentId === undefined ? [] : [scopeOf('agent', identifiers)]
}

/** A rejection of one task concerns the others: equal rejections are linked. */
function otherTasks({ scope: { layer, project }, candidate }: Clean): ScopeSelector[] {
  return layer === 'task' && candidate.category === 'rejection' && project !== null
    ? [{ layer, agentsOf: project }]
    : []
}

function selectorOf({ layer, owner, project }: Scope): ScopeSelector {
  return { layer, owner, projects: [project] }
}

/** Whether it only confirms a memory that it names. */
export function isConfirming({ declares }: Candidate): boolean {
  return declares?.relation === 'confirms' && declares.memory !== undefined
}
