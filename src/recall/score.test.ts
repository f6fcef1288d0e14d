import { describe, expect, it } from 'vitest'
import type { Memory } from '../model/memory.ts'
import { fuse, KeywordScorer, semanticScore, weighTerms } from './score.ts'
import { queryTerms } from './terms.ts'

const memory = (content: string, extra: Partial<Memory> = {}) =>
  ({ content, service: null, tags: [], ...extra }) as unknown as Memory
const evidence = (query: string, content: Memory, frequencies?: number[], documents = 1000) => {
  const terms = queryTerms(query)
  const scorer = new KeywordScorer(weighTerms(terms, frequencies ?? terms.map(() => 1), documents))
  const held = scorer.held(content)
  return { score: scorer.score(scorer.informationIn(held)), terms: scorer.explain(held) }
}

describe('terms', () => {
  it('leaves out common words, unless there are no others', () => {
    expect(queryTerms('Why is the database so slow?').map((term) => term.text)).toEqual(['database', 'slow'])
    expect(queryTerms('who are you').map((term) => term.text)).toEqual(['who', 'are', 'you'])
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
  it('makes nothing of punctuation', () => {
    expect(queryTerms('"" OR * NEAR( ) --')).toMatchObject([{ text: 'near' }])
    expect(queryTerms('!!! ...')).toEqual([])
  })
})

describe('scores', () => {
  it('an exact rare term convinces even when the meaning is missed', () => {
    const { score } = evidence('ERR_CONN_5521', memory('ERR_CONN_5521: the proxy is down'))
    expect(fuse(semanticScore(0), score)).toBeGreaterThan(0.9)
  })
  it('a common word alone does not', () => {
    const { score } = evidence('restart', memory('needs a restart'), [600])
    expect(fuse(semanticScore(0), score)).toBeLessThan(0.7)
  })
  it('counts the service and the tags, but no phrase across them', () => {
    expect(evidence('jellyfin', memory('slow', { service: 'jellyfin' })).score).toBeGreaterThan(0.5)
    expect(evidence('boot', memory('slow', { tags: ['boot'] })).score).toBeGreaterThan(0.5)
    expect(evidence('a/b-c/d', memory('a b', { service: 'c d' })).terms.map((term) => term.term)).not.toContain(
      'a/b-c/d',
    )
  })
  it('never falls below the semantic score, and stays in [0, 1]', () => {
    for (const cosine of [-1, -0.3, 0, 0.4, 1]) {
      for (const keyword of [0, 0.3, 0.95]) {
        const score = fuse(semanticScore(cosine), keyword)
        expect(score).toBeGreaterThanOrEqual(semanticScore(cosine))
        expect(score).toBeLessThanOrEqual(1)
      }
    }
  })
  it('names the terms with their share of the query', () => {
    const { terms } = evidence('postgres vacuum nightly', memory('vacuum runs nightly'))
    expect(terms.map((term) => term.term)).toEqual(['vacuum', 'nightly'])
    expect(terms.reduce((sum, term) => sum + term.weight, 0)).toBeCloseTo(2 / 3, 5)
  })
})
