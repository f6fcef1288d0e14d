import { describe, expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { Memory } from '../model/memory.ts'
import { estimateTokens } from './budget.ts'
import { renderOperational } from './render-operational.ts'

const NOW = new Date('2026-02-01T00:00:00.000Z')
const render = (memories: readonly Memory[], budget?: number) =>
  renderOperational(memories, { now: NOW, ...(budget === undefined ? {} : { budget }) })

const START = makeMemory({ id: 'a', service: 'jellyfin', confidence: 0.9 })
const LOCK = makeMemory({
  id: 'b',
  service: 'jellyfin',
  category: 'behavior',
  content: 'First restart always fails due to DB lock',
  confidence: 0.8,
})
const DNS = makeMemory({
  id: 'c',
  category: 'remediation',
  content: 'DNS checks sometimes fail transiently during WireGuard reconnects',
  confidence: 0.6,
})

describe('renderOperational', () => {
  it('[E37] [E16] has the header, the services and the bullets, to the character', () => {
    const { text, tokens, included, omitted } = render([DNS, LOCK, START])
    expect(text).toBe(`## Operational Memory (3 memories, ~77 tokens)

### jellyfin
- [timing] Takes 60s to start after restart (confidence: 0.9)
- [behavior] First restart always fails due to DB lock (confidence: 0.8)

### general
- [remediation] DNS checks sometimes fail transiently during WireGuard reconnects (confidence: 0.6)`)
    expect(tokens).toBe(77)
    expect(included).toEqual([
      { id: 'a', tokens: 16 },
      { id: 'b', tokens: 18 },
      { id: 'c', tokens: 25 },
    ])
    expect(omitted).toEqual([])
  })

  it('[E13] orders services by the alphabet, general last, whatever the case, and each service once', () => {
    const services = ['zigbee', null, 'general', 'Caddy', 'postgres', 'adguard', 'Zigbee']
    const memories = services.map((service, at) => makeMemory({ id: `m${at}`, service }))
    const headings = render(memories).text.match(/^### .*$/gm)
    expect(headings).toEqual(['### adguard', '### Caddy', '### postgres', '### zigbee', '### general'])
  })

  it('[E12] is empty when there is nothing to say, or when nothing fits', () => {
    expect(render([])).toEqual({ text: '', included: [], omitted: [], tokens: 0 })
    expect(render([START], 10)).toMatchObject({ text: '', included: [], tokens: 0 })
    for (const budget of [0, -5, Number.NaN]) expect(render([START], budget).text).toBe('')
  })

  it('[E18] [E38] leaves out the inactive, the expired and the doubtful, with the reason, and does not count them', () => {
    const memories = [
      makeMemory({ id: 'd', confidence: 0.2 }),
      makeMemory({ id: 'e', active: false, confidence: 1 }),
      makeMemory({ id: 'f', expiresAt: NOW.toISOString() }),
      makeMemory({ id: 'g', confidence: 0.3 }),
    ]
    const { text, omitted } = render(memories)
    expect(text).toContain('(1 memory, ~')
    expect(text.match(/^- /gm)).toHaveLength(1)
    expect(omitted).toEqual([
      { id: 'e', reason: 'inactive' },
      { id: 'f', reason: 'expired' },
      { id: 'd', reason: 'confidence 0.2 is below 0.3' },
    ])
  })

  it('[E14] shows the surest of 50 memories within 2,000 tokens and says how many', () => {
    const memories = Array.from({ length: 50 }, (_, at) =>
      makeMemory({
        id: `m${String(at).padStart(2, '0')}`,
        service: `service-${at % 5}`,
        content: `Observation ${at} `.padEnd(370, 'x'),
        confidence: (100 - at) / 100,
      }),
    )
    const { text, tokens, included, omitted } = render(memories)
    expect(text.split('\n')[0]).toBe(
      `## Operational Memory (19 of 50 memories, ~${tokens.toLocaleString('en')} tokens)`,
    )
    expect(tokens).toBe(1937)
    expect(included.map(({ id }) => id).toSorted()).toEqual(memories.slice(0, 19).map(({ id }) => id))
    expect(omitted[0]).toEqual({ id: 'm19', reason: 'over budget: needs 401 characters, 256 are left' })
    expect(omitted).toHaveLength(31)
  })

  it('chooses over all services before it groups', () => {
    const early = [1, 2, 3].map((at) => makeMemory({ id: `a${at}`, service: 'a', confidence: 0.5 }))
    const sure = makeMemory({ id: 'z', service: 'z', confidence: 0.9 })
    expect(render([...early, sure], 36).included).toEqual([{ id: 'z', tokens: 16 }])
  })

  it('passes over one that does not fit and takes a smaller one behind it', () => {
    const long = makeMemory({ id: 'l', content: 'long '.repeat(40), confidence: 0.8 })
    const short = makeMemory({ id: 's', content: 'Short', confidence: 0.7 })
    expect(render([long, START, short], 60).included.map(({ id }) => id)).toEqual(['a', 's'])
  })

  it('takes the newest of equal confidence', () => {
    const memories = ['m1', 'm3', 'm2'].map((id) => makeMemory({ id }))
    expect(render(memories, 33).included.map(({ id }) => id)).toEqual(['m3'])
  })

  it('prints a confidence with one or two decimals', () => {
    const printed = (confidence: number) => /confidence: (.*)\)$/.exec(render([makeMemory({ confidence })]).text)?.[1]
    expect([1, 0.9, 0.85, 0.3, 0.57].map(printed)).toEqual(['1.0', '0.9', '0.85', '0.3', '0.57'])
    for (let hundredths = 30; hundredths <= 100; hundredths++) {
      expect(Number(printed(hundredths / 100))).toBe(hundredths / 100)
    }
  })

  it('[E14] [E16] uses a budget to the last character, and never one more', () => {
    for (let length = 1; length <= 60; length++) {
      const memories = [START, makeMemory({ id: 'z', content: 'y'.repeat(length), confidence: 0.5 })]
      const whole = render(memories)
      expect(whole.tokens).toBe(estimateTokens(whole.text))
      expect(render(memories, whole.tokens)).toEqual(whole)
      const less = render(memories, whole.tokens - 1)
      expect(less.tokens).toBeLessThan(whole.tokens)
      expect(less.text.split('\n')[0]).toMatch(/\(1 of 2 memories/)
    }
  })

  it('states its own tokens where the header grows with them', () => {
    for (let length = 3900; length <= 3960; length++) {
      const { text, tokens } = render([makeMemory({ content: 'y'.repeat(length) })])
      expect(text.split('\n')[0]).toBe(`## Operational Memory (1 memory, ~${tokens.toLocaleString('en')} tokens)`)
      expect(tokens).toBe(Math.ceil(text.length / 4))
    }
  })
})

it('where not everything fits, a pinned memory is chosen first; while everything fits, a pin changes nothing', () => {
  const at = new Date('2026-01-02T00:00:00.000Z')
  const sure = makeMemory({ id: 'a', content: 'The sure one of the two', confidence: 0.9 })
  const pinned = makeMemory({ id: 'b', content: 'The pinned one of the two', confidence: 0.4, pinned: true })
  const shown = (budget: number) => renderOperational([sure, pinned], { now: at, budget }).included.map(({ id }) => id)
  expect(shown(1000)).toEqual(['a', 'b'])
  expect(shown(36)).toEqual(['b'])
  const plain = renderOperational([sure, { ...pinned, pinned: false }], { now: at, budget: 1000 })
  expect(renderOperational([sure, pinned], { now: at, budget: 1000 })).toEqual(plain)
})
