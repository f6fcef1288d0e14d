import { describe, expect, it } from 'vitest'
import type { Memory } from '../model/memory.ts'
import { addUp, fuse, semanticScore, wordsAlone } from './fuse.ts'
import { RANKING } from './ranking.ts'
import { countWords, informationOf, KeywordScorer, round, type WeighedTerm, weighTerms } from './score.ts'
import { isCode, isQuestion, namesIn, queryTerms, withoutNames } from './terms.ts'
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
  it('are 32 at most, and a compound of parts that are common is common', () => {
    expect(queryTerms(Array.from({ length: 40 }, (_, i) => `w${i}x`).join(' '))).toHaveLength(32)
    expect(queryTerms('cache and/or disk').map(({ text, common = false }) => [text, common])).toEqual([
      ['cache', false],
      ['and/or', true],
      ['and', true],
      ['or', true],
      ['disk', false],
    ])
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
    // Words that cover half of the query fill most of the room below the line.
    expect(fuse(0.5, most)).toBeCloseTo(0.642, 3)
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
    expect(addUp(1, 0.35)).toBeCloseTo(0.9209, 4)
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

describe('weights', () => {
  it('are the information in nats, as if there were 50 memories more', () => {
    expect(informationOf(0, 0)).toBeCloseTo(Math.log(100))
    expect(informationOf(1, 100)).toBeCloseTo(Math.log(100))
    expect(informationOf(1000, 1000)).toBe(0.1)
  })
  it('count a word that no memory holds half, and a code of one to three memories as a sign', () => {
    const term = (text: string) => ({ text, tokens: [text] })
    const weigh = (text: string, frequency: number) => weighTerms([term(text)], [frequency], 100)[0]!
    expect([0, 1, 3, 4].map((frequency) => weigh('e4017', frequency).sign)).toEqual([false, true, true, false])
    expect(weigh('cache', 1).sign).toBe(false)
    expect(weigh('cache', 1).weight).toBe(informationOf(1, 100))
    expect(weigh('cache', 0).weight).toBe(RANKING.unseen * informationOf(0, 100))
    expect(weighTerms([term('cache')], [], 100)).toEqual([weigh('cache', 0)])
    expect(weighTerms([term('cache')], [0], 100, { unseen: 1 })[0]!.weight).toBe(informationOf(0, 100))
  })
  it('are rounded to six places', () => {
    expect(round(0.12345649)).toBe(0.123456)
    expect(round(0.1234565)).toBe(0.123457)
  })
})

describe('the scorer', () => {
  const term = (text: string, weight: number, more: Partial<WeighedTerm> = {}) => ({
    text,
    tokens: text.split(' '),
    weight,
    ...more,
  })

  it('tells which terms a memory holds, of its service and tags too, a bit for each', () => {
    const scorer = new KeywordScorer([term('alpha', 1), term('beta gamma', 2), term('delta', 4), term('prod', 8)])
    expect(scorer.held(memory('alpha delta'))).toBe(0b0101)
    expect(scorer.held(memory('beta gamma'))).toBe(0b0010)
    expect(scorer.held(memory('gamma beta'))).toBe(0)
    expect(scorer.held(memory('beta', { tags: ['gamma'] }))).toBe(0)
    expect(scorer.held(memory('beta', { service: 'gamma', tags: ['delta', 'prod'] }))).toBe(0b1100)
    // The same text with another service or tags counts as a different one.
    expect(scorer.held(memory('beta'))).toBe(0)
    expect(scorer.held(memory('beta', { service: 'delta' }))).toBe(0b0100)
    expect(scorer.held(memory('beta', { tags: ['prod'] }))).toBe(0b1000)
    expect(new KeywordScorer([]).held(memory('alpha'))).toBe(0)
  })
  it('holds each of 32 terms, and whatever a text is made of', () => {
    const words = Array.from({ length: 32 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`)
    const scorer = new KeywordScorer(words.map((word) => term(word, 1)))
    words.forEach((word, i) => {
      expect(scorer.held(memory(`a ${word} z`))).toBe(1 << i)
    })
    expect(scorer.informationIn(scorer.held(memory(words.join(' '))))).toBe(32)
  })
  it('adds up what is held, and takes it as a share of all that is asked, times apart', () => {
    const terms = [term('alpha', 1), term('beta', 2), term('may', 8, { ofTime: true })]
    const scorer = new KeywordScorer(terms, { more: 1 })
    expect(scorer.informationIn(0b101)).toBe(9)
    expect(scorer.informationIn(0)).toBe(0)
    expect([0, 2, 4, 9].map((information) => scorer.shareOf(information))).toEqual([0, 0.5, 1, 1])
    expect(scorer.lendable & 0b111).toBe(0b011)
    expect(scorer.explain(0b011)).toEqual([
      { term: 'alpha', weight: 0.25 },
      { term: 'beta', weight: 0.5 },
    ])
    expect(new KeywordScorer([]).shareOf(3)).toBe(0)
  })
  it('gives a part its share and its strength, and the whole what is open besides', () => {
    const ranking = { ...RANKING, part: 0.5, whole: 0.8, wholeness: 2, strongEvidence: 2, threadWords: 0.6 }
    const scorer = new KeywordScorer([term('alpha', 2), term('beta', 2)], { open: 4 }, ranking)
    const strength = 1 - Math.exp(-1)
    expect(scorer.worth(0)).toEqual({ part: 0, whole: 0 })
    expect(scorer.worth(2).part).toBeCloseTo(0.5 * 0.5 * strength)
    expect(scorer.worth(2).whole).toBeCloseTo(0.8 * 0.25 ** 2 * strength)
    expect(scorer.worth(2, 0, true).whole).toBe(ranking.timely)
    expect(scorer.worthInThread(2)).toBeCloseTo(0.6 * 0.5 * strength)
  })
  it('gives a sign more where signs are half of what is asked', () => {
    const ranking = { ...RANKING, whole: 0 }
    const whole = (other: number, held = 0b001) =>
      new KeywordScorer(
        [term('e1', 1, { sign: true }), term('e2', 3, { sign: true }), term('alpha', other)],
        {},
        ranking,
      ).worth(1, held).whole
    expect(whole(4, 0b011)).toBeCloseTo(ranking.mainSign)
    expect(whole(4.1, 0b011)).toBeCloseTo(ranking.sign)
    expect(whole(4)).toBeCloseTo(ranking.mainSign / 4)
    expect(whole(4, 0b100)).toBe(0)
  })
  it('counts the words of a memory, its service and tags', () => {
    const bare = countWords(memory('alpha beta'))
    expect(countWords(memory('alpha beta gamma'))).toBe(bare + 1)
    expect(countWords(memory('alpha beta', { tags: ['gamma'] }))).toBe(bare + 2)
    expect(countWords(memory('alpha beta', { service: 'gamma' }))).toBe(bare + 1)
  })
})

describe('names of a query', () => {
  const names = (query: string) => namesIn(query).map(({ text }) => text)
  it('are written with a capital, and neither common words nor parts of something', () => {
    expect(names("What did Anna tell Bob's team, and Anna?")).toEqual(['Anna', 'Bob'])
    expect(names('NASA src/Main the-Main v_Main Main_x iPhone A')).toEqual([])
    expect(names('Wi漢字')).toEqual([])
  })
  it('are left out, unless nothing is left', () => {
    const anna = new Set(['Anna'])
    expect(withoutNames("Where did Anna's backup go, Bob?", anna)).toBe('Where did backup go, Bob?')
    expect(withoutNames('Where is Anna?', anna)).toBe('Where is Anna?')
    expect(withoutNames('Where  is Anna?', new Set())).toBe('Where  is Anna?')
  })
})
