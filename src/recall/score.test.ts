import { describe, expect, it } from 'vitest'
import type { Memory } from '../model/memory.ts'
import { addUp, fuse, semanticScore, wordsAlone } from './fuse.ts'
import { RANKING } from './ranking.ts'
import { KeywordScorer, weighTerms } from './score.ts'
import { isCode, isQuestion, queryTerms } from './terms.ts'
import { terseness } from './terseness.ts'

const memory = (content: string, extra: Partial<Memory> = {}) =>
  ({ content, service: null, tags: [], ...extra }) as unknown as Memory
const evidence = (query: string, content: Memory, frequencies?: number[], documents = 1000) => {
  const terms = queryTerms(query)
  const open = isQuestion(query) ? RANKING.open : 0
  const scorer = new KeywordScorer(weighTerms(terms, frequencies ?? terms.map(() => 1), documents), { open })
  const held = scorer.held(content)
  return { words: scorer.worth(scorer.informationIn(held), held), terms: scorer.explain(held) }
}

describe('terms', () => {
  it('leaves out common words, unless there are no others', () => {
    expect(queryTerms('Why is the database so slow?').map((term) => term.text)).toEqual(['database', 'slow'])
    expect(queryTerms('who are you').map((term) => term.text)).toEqual(['who', 'are', 'you'])
  })
  it('leaves out how much is asked, not what', () => {
    expect(queryTerms('How long are logs kept?').map((term) => term.text)).toEqual(['logs', 'kept'])
    expect(queryTerms('long logs').map((term) => term.text)).toEqual(['long', 'logs'])
  })
  it('takes a compound as a whole and in parts', () => {
    expect(queryTerms('fix src/config.ts').map((term) => term.text)).toEqual([
      'fix',
      'src/config.ts',
      'src',
      'config',
      'ts',
    ])
    expect(queryTerms("jellyfin's start").map((term) => term.text)).toEqual(['jellyfin', 'start'])
  })
  it('knows what asks about something from what names it', () => {
    const asking = ['How large is the cache?', 'who approves expense reports', '再起動はいつ？']
    expect(asking.filter(isQuestion)).toEqual(asking)
    expect(['cache size', 'What is JWKS?', "what's JWKS?", 'show me the cache'].filter(isQuestion)).toEqual([])
  })
  it('takes a few words for a name, whatever stands behind them, unless one of them asks', () => {
    const names = ['haproxy?', 'E4017?', 'label printer?', 'label printer paper jam ?', 'haproxy?!', 'ラベル？']
    expect(names.filter(isQuestion)).toEqual([])
    const asking = ['haproxy restarts when?', 'Wann startet haproxy?', '¿Dónde está?', 'où est haproxy ?', '备份在哪？']
    const said = 'the label printer in the hall jams again?'
    expect([...asking, said].filter(isQuestion)).toEqual([...asking, said])
  })
  it('knows codes, versions, paths and flags from words', () => {
    const codes = ['bil-4021', 'pg_repack', 'orders.v2', 'config/synonyms.yml', 'x-request-id', '413', 'nas2', '1.47']
    expect(codes.filter(isCode)).toEqual(codes)
    expect(['on-call', 'and/or', 'i/o', 'cache', '90', '2026', 'read-only'].filter(isCode)).toEqual([])
  })
  it('calls a few words that memories hold terse, and a sentence or words of its own not', () => {
    const known = new Map(['stage', 'databas', 'port', 'test'].map((word) => [word, 2]))
    const of = (query: string) => terseness(query, queryTerms(query), known)
    expect(of('staging database port')).toBe(1)
    expect(of('the staging database port tests')).toBe(0.5)
    expect(of('which port does the staging database use')).toBe(0)
    expect(of('stagng databse port')).toBe(0)
    expect(of('ステージングのデータベースのポートはどこですか')).toBe(0)
  })
  it('makes nothing of punctuation', () => {
    expect(queryTerms('"" OR * NEAR( ) --')).toMatchObject([{ text: 'near' }])
    expect(queryTerms('!!! ...')).toEqual([])
  })
})

describe('scores', () => {
  it('an exact rare term convinces even when the meaning is missed', () => {
    const { words } = evidence('ERR_CONN_5521', memory('ERR_CONN_5521: the proxy is down'))
    expect(fuse(semanticScore(0), words)).toBeGreaterThan(0.9)
    expect(wordsAlone(words)).toBeGreaterThan(0.9)
  })
  it('a common word alone does not', () => {
    const { words } = evidence('restart', memory('needs a restart'), [600])
    expect(fuse(semanticScore(0), words)).toBeLessThan(0.7)
  })
  it('a part of the question orders what is found, and lifts nothing over the line', () => {
    const half = evidence('postgres vacuum nightly schedule', memory('vacuum runs nightly')).words
    const less = evidence('postgres vacuum nightly schedule', memory('vacuum runs often')).words
    for (const cosine of [-0.2, 0, 0.2, 0.3]) {
      const semantic = semanticScore(cosine)
      expect(fuse(semantic, half)).toBeGreaterThan(fuse(semantic, less))
      expect(fuse(semantic, less)).toBeGreaterThan(semantic)
      expect(fuse(semantic, half)).toBeLessThan(0.7)
    }
    expect(fuse(semanticScore(0.5), half)).toBeGreaterThan(semanticScore(0.5) + 0.02)
  })
  it('what is rounded stays below the line', () => {
    const most = { part: 0.5, whole: 0 }
    expect(fuse(0.69, most)).toBeLessThan(0.6991)
    expect(fuse(0.6995, most)).toBeGreaterThanOrEqual(0.6995)
    expect(fuse(0.6995, most)).toBeLessThan(0.7)
  })
  it('all words of a question are no answer to it; all that is named is', () => {
    const about = memory('The cache hit rate is 92%.')
    expect(fuse(semanticScore(0.3), evidence('How large is the cache hit?', about).words)).toBeLessThan(0.7)
    expect(fuse(semanticScore(0.3), evidence('cache hit', about).words)).toBeGreaterThan(0.9)
  })
  it('a rare code in a question lifts what is near over the line; a frequent one, half of them, or far meaning not', () => {
    const content = memory('BIL-4021 means that the tax region is missing.')
    const of = (query: string, frequency = 1) =>
      evidence(
        query,
        content,
        queryTerms(query).map(() => frequency),
      ).words
    const near = semanticScore(0.2)
    expect(fuse(near, of('why do customers see BIL-4021 at checkout?'))).toBeGreaterThan(0.7)
    expect(fuse(near, of('why do customers see BIL-4021 at checkout?', 40))).toBeLessThan(0.7)
    expect(fuse(near, of('is BIL-4021 the same for customers as ABC-77?'))).toBeLessThan(0.7)
    expect(fuse(semanticScore(0), of('why do customers see BIL-4021 at checkout?'))).toBeLessThan(0.7)
  })
  it('a rare code that is most of the question lifts what is less near; beside other words, or another code, it does not', () => {
    const content = memory('LG-9931 is logged if the balance does not add up')
    const far = semanticScore(0.1)
    const of = (query: string, known: readonly string[]) =>
      evidence(
        query,
        content,
        queryTerms(query).map(({ text }) => (known.includes(text) ? 1 : 0)),
      ).words
    const known = ['lg-9931', 'lg', '9931']
    expect(fuse(far, of('how do I fix LG-9931?', known))).toBeGreaterThan(0.7)
    expect(fuse(far, of('why do customers of the shop see LG-9931 at checkout?', known))).toBeLessThan(0.7)
    expect(fuse(far, of('how do I fix LG-9932?', ['lg']))).toBeLessThan(0.7)
    expect(fuse(far, of('how do I fix XY-9931?', ['9931']))).toBeLessThan(0.7)
  })
  it('an incidental word does not outrank meaning', () => {
    const incidental = evidence('How does the worker start after a deploy', memory('Start the day with tea')).words
    expect(fuse(semanticScore(0.05), incidental)).toBeLessThan(fuse(semanticScore(0.35), { part: 0, whole: 0 }))
  })
  it('by words alone most of a question is an answer, and a word of it is none', () => {
    expect(wordsAlone(evidence('vacuum nightly', memory('vacuum runs nightly')).words)).toBeGreaterThan(0.8)
    const little = evidence('postgres vacuum nightly schedule', memory('a vacuum cleaner')).words
    expect(wordsAlone(little)).toBeGreaterThan(0)
    expect(wordsAlone(little)).toBeLessThan(0.5)
  })
  it('counts the service and the tags, but no phrase across them', () => {
    expect(evidence('jellyfin', memory('slow', { service: 'jellyfin' })).words.whole).toBeGreaterThan(0.5)
    expect(evidence('boot', memory('slow', { tags: ['boot'] })).words.whole).toBeGreaterThan(0.5)
    expect(evidence('a/b-c/d', memory('a b', { service: 'c d' })).terms.map((term) => term.term)).not.toContain(
      'a/b-c/d',
    )
  })
  it('never falls below the semantic score, stays in [0, 1], and keeps the order of cosines', () => {
    for (const words of [0, 0.3, 0.95].flatMap((whole) => [0, 0.4].map((part) => ({ part, whole })))) {
      const cosines = [-1, -0.3, 0, 0.39, 0.4, 0.41, 1]
      const scores = cosines.map((cosine) => fuse(semanticScore(cosine), words))
      scores.forEach((score, i) => {
        expect(score).toBeGreaterThanOrEqual(semanticScore(cosines[i]!))
        expect(score).toBeLessThanOrEqual(1)
      })
      expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    }
  })
  it('adds up what speaks for a line of a thread, and never reaches 1', () => {
    expect(addUp(0.2, 0)).toBeCloseTo(0.35)
    expect(addUp(0.2, 0.35)).toBeCloseTo(0.7)
    expect(addUp(2, 0.7)).toBeLessThan(1)
    expect(addUp(2, 0.7)).toBeGreaterThan(addUp(1.5, 0.7))
    expect(addUp(-2, 0)).toBe(0)
  })
  it('names the terms with their share of the query', () => {
    const { terms } = evidence('postgres vacuum nightly', memory('vacuum runs nightly'))
    expect(terms.map((term) => term.term)).toEqual(['vacuum', 'nightly'])
    expect(terms.reduce((sum, term) => sum + term.weight, 0)).toBeCloseTo(2 / 3, 5)
  })
})
