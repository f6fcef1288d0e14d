import { type Decay, decayed } from '../lifecycle/decay.ts'
import { breathe } from '../model/breathe.ts'
import { precedence } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { SearchResult } from '../model/provider.ts'
import type { Conditions } from '../storage/conditions.ts'
import type { Found, SearchQuery } from '../storage/search-query.ts'
import type { Storage } from '../storage/storage.ts'
import { tokenize } from '../text/tokens.ts'
import { dot } from '../vector/dot.ts'
import { withoutCopies } from './copies.ts'
import { type Beliefs, behindCorrections, type Correction, putCorrections } from './corrections.ts'
import { gatherEvidence, scoreOf } from './evidence.ts'
import { isVague, namedBy } from './faint.ts'
import { findCandidates } from './find.ts'
import { fitsOf } from './fit.ts'
import { type Merged, mergeLayers, type Order, type Scored } from './merge.ts'
import { type NamedTime, namedTimes } from './named-time.ts'
import { RANKING, type Ranking } from './ranking.ts'
import { KeywordScorer, round, type WeighedTerm, weighTerms } from './score.ts'
import { isQuestion, namesIn, queryTerms, type Term, withoutNames, withPlainArticles } from './terms.ts'
import { terseness } from './terseness.ts'
import { topicOf } from './topic.ts'
import { writerOf } from './writer.ts'

export interface SearchEngine {
  storage: Storage
  embed(query: string): Promise<Float32Array>
  /** The embedder's calibration, for models with compressed cosines. */
  calibrate(cosine: number, terseness: number, documents: number): number
  now: Date
  decay?: Decay
  /** Runs a storage read, and retries it after a transient failure. */
  attempt<T>(work: () => Promise<T>): Promise<T>
  /** Which of these memories are corrected or disputed. Default: none. */
  believed?(found: readonly Memory[]): Promise<Beliefs>
  ranking?: Ranking
}

export interface Question {
  scopes: SearchQuery['scopes']
  where: Conditions
  query: string
  mode: 'hybrid' | 'semantic' | 'keyword'
  /** The query's vector if the caller has it; otherwise the query is embedded. */
  vector: Float32Array | null
  limit: number
  threshold: number
  order: Order
  explain: boolean
  /** Whether to include corrected memories, after their corrections. */
  keepCorrected?: boolean
}

/** The minimum number of candidates to score; more for larger limits. */
const CANDIDATES = 40
const CANDIDATES_A_RESULT = 3
/** From this length on, tokenizing a memory takes noticeable time. */
const LONG = 2000
/** Thread neighbours to read on each side: those that lend words and those that borrow. */
const AROUND = 2
/** With fewer memories than this, no name counts as common. */
const FEW_MEMORIES = 10
/** The closest results have at least this score, and this much of the question's words: unrelated questions rarely reach both. */
const CLOSE = { score: 0.64, words: 0.3 }
/** The same in keyword mode. */
const CLOSE_ALONE = { score: 0.5, words: 0.5 }
/** If nothing reaches the threshold, this many are offered as the closest. */
const MOST_CLOSE = 2

/** Searches all scopes at once, scores the candidates, and merges the layers. */
export async function search(
  engine: SearchEngine,
  asked: Question,
): Promise<{ results: SearchResult[]; totalCount: number; corrected: Correction[]; closest?: SearchResult[] }> {
  const { calibrate, now, ranking = RANKING } = engine
  const question = { ...asked, query: topicOf(asked.query) }
  const { query, mode, threshold } = question
  const words = queryTerms(query)
  // A caller's own vector already says what is meant.
  const faint = question.vector === null && isVague(words)
  const { found, vector, frequencyOf } = await find(engine, question, mode === 'semantic' && !faint ? [] : words)
  const memories = found.candidates.map(({ memory }) => memory)
  const { documents, frequencies } = withoutCopies(found, frequencyOf)
  // A compound is at most as frequent as its rarest part.
  const rarest = words.map((term) => Math.min(...term.tokens.map((token) => frequencies.get(token) ?? 0)))
  const named = faint ? namedBy(words, rarest, { documents, memories }) : null
  const terms = mode === 'semantic' ? [] : words
  const times = ranking.time > 0 && terms.length > 0 && named === null ? namedTimes(query, now) : []
  const weighed = markTimeWords(weighTerms(terms, rarest, documents, ranking), times)
  const more = besidesWords(weighed, found, times.length > 0, ranking)
  const open = isQuestion(query) ? ranking.open : 0
  const scorer = new KeywordScorer(weighed, { more, open }, ranking)
  const terse = terseness(query, terms, frequencies)
  const compare = vector === null ? null : (own: Float32Array) => calibrate(dot(vector, own), terse, documents)
  const fitOf = fitsOf(query, memories, ranking)
  const scored: Scored[] = []
  for (const memory of memories) if (memory.content.length > LONG) await readInTurn(scorer, memory)
  for (const evidence of gatherEvidence(found.candidates, { scorer, compare, times, ranking })) {
    const { semantic, keyword, score } = scoreOf(evidence, scorer, fitOf(evidence.memory), ranking)
    const { memory, held, vector: own } = evidence
    // Skips candidates found only through their thread, and those that a vague query does not name.
    if ((mode === 'keyword' && keyword === 0) || (named !== null && (held & named) === 0)) continue
    // Round first, so that a displayed score works as a threshold.
    scored.push({ memory, layer: memory.layer, score: round(score), semantic, keyword, vector: own, held })
  }
  const beliefs = await engine.believed?.(memories)
  const corrections = beliefs?.corrected ?? new Map<string, string>()
  const keep = question.keepCorrected ?? false
  const repeated = keep ? new Map<string, string>() : (beliefs?.repeated ?? new Map<string, string>())
  const replaced = new Map([...corrections, ...repeated])
  const reach = (from: readonly Scored[], least: number, order: Order, limit: number) => {
    const { reaching, corrected } = putCorrections(from, replaced, { threshold: least, keep })
    const { merged, totalCount } = mergeLayers(reaching, order, limit)
    const results = behindCorrections(merged, corrections).map((result): SearchResult => {
      const by = corrections.get(result.memory.id)
      const disputed = beliefs?.disputed.get(result.memory.id)
      return {
        ...present(result, question.explain ? scorer : null, (memory) => decayed(memory, now, engine.decay)),
        ...(by === undefined ? {} : { correctedBy: by }),
        ...(disputed === undefined ? {} : { disputed }),
      }
    })
    return { results, totalCount, corrected: corrected.filter(({ id }) => !repeated.has(id)) }
  }
  const certain = reach(scored, threshold, question.order, question.limit)
  const close = mode === 'keyword' ? CLOSE_ALONE : CLOSE
  if (certain.results.length > 0 || threshold <= close.score) return certain
  const near = scored.map((one) => (one.keyword < close.words ? { ...one, score: 0 } : one))
  const closest = reach(near, close.score, 'relevance', MOST_CLOSE).results
  return closest.length === 0 ? certain : { ...certain, closest }
}

/** Tokenizes in turns; the scorer caches the result. */
async function readInTurn(scorer: KeywordScorer, memory: Memory): Promise<void> {
  await breathe()
  scorer.held(memory)
}

/** Candidates, and the vector they are compared with. */
async function find(
  { storage, attempt, embed, ranking = RANKING }: SearchEngine,
  { scopes, where, query, mode, vector, limit: wanted }: Question,
  terms: readonly Term[],
): Promise<{ found: Found; vector: Float32Array | null; frequencyOf: ReadonlyMap<string, number> }> {
  const limit = Math.max(CANDIDATES, CANDIDATES_A_RESULT * wanted)
  const own = terms.flatMap((term) => term.tokens)
  const ask = async (by: Float32Array | null, tokens: string[]): Promise<Found> =>
    (await attempt(() => findCandidates(storage, [{ scopes, where, vector: by, tokens, limit, around: AROUND }])))[0]!
  const countOf = (tokens: readonly string[], { frequencies }: Found) =>
    new Map(tokens.map((token, i) => [token, frequencies[i] ?? 0]))

  const names = mode === 'keyword' || vector !== null || ranking.commonName === 0 ? [] : namesIn(query)
  if (names.length === 0) {
    const by = mode === 'keyword' ? null : (vector ?? (await embed(withPlainArticles(query))))
    const tokens = [...new Set(own)]
    const found = await ask(by, tokens)
    return { found, vector: by, frequencyOf: countOf(tokens, found) }
  }
  // Whether a name is common depends on its frequency: search by words first, then by meaning.
  const tokens = [...new Set([...own, ...names.flatMap((name) => name.tokens)])]
  const worded = await ask(null, tokens)
  const frequencyOf = countOf(tokens, worded)
  const common = Math.max(FEW_MEMORIES, ranking.commonName * worded.documents)
  const everywhere = names.filter(
    ({ tokens: [name] }) => frequencyOf.get(name!)! >= common && !isService(worded.candidates, name!),
  )
  const by = await embed(withPlainArticles(withoutNames(query, new Set(everywhere.map((name) => name.text)))))
  const near = await ask(by, [])
  const known = new Set(near.candidates.map(({ memory }) => memory.id))
  const rest = mode === 'semantic' ? [] : worded.candidates.filter(({ memory }) => !known.has(memory.id))
  return { found: { ...worded, candidates: [...near.candidates, ...rest] }, vector: by, frequencyOf }
}

/** Whether this is the service of a memory, where it names the subject. Elsewhere it names a speaker or listener. */
function isService(candidates: Found['candidates'], name: string): boolean {
  return candidates.some(({ memory }) => memory.service !== null && writerOf(memory).includes(name))
}

/** Marks the words of a named time, which is matched as a time. */
function markTimeWords(terms: readonly WeighedTerm[], times: readonly NamedTime[]): readonly WeighedTerm[] {
  if (times.length === 0) return terms
  const words = new Set(times.flatMap(({ text }) => tokenize(text)))
  return terms.map((term) => ({ ...term, ofTime: term.tokens.every((token) => words.has(token)) }))
}

/** The information asked for besides words: a named time, and a named writer or service. */
function besidesWords(terms: readonly WeighedTerm[], found: Found, timed: boolean, { time, writer }: Ranking): number {
  const names = new Set(found.candidates.map(({ memory }) => writerOf(memory)))
  const named = terms.filter(({ tokens, weight }) => weight < writer && isAny(names, tokens))
  const more = named.length === 0 ? 0 : Math.max(...named.map(({ weight }) => writer - weight))
  return more + (timed ? time : 0)
}

function isAny(names: Iterable<readonly string[]>, tokens: readonly string[]): boolean {
  for (const name of names) if (tokens.every((token) => name.includes(token))) return true
  return false
}

/** A result as of now; with an explanation if a scorer is given. */
function present(merged: Merged, scorer: KeywordScorer | null, age: (memory: Memory) => Memory): SearchResult {
  const { layer, score, semantic, keyword, collapsed, held } = merged
  const memory = age(merged.memory)
  if (scorer === null) return { memory, score, layer }
  return {
    memory,
    score,
    layer,
    explanation: {
      semantic: semantic === null ? null : round(semantic),
      keyword: round(keyword),
      terms: scorer.explain(held),
      layer: { name: layer, precedence: precedence(layer) },
      confidence: memory.confidence,
      collapsed,
    },
  }
}
