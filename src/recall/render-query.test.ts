import { describe, expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { Layer } from '../model/layer.ts'
import { renderQuery } from './render-query.ts'

const NOW = new Date('2026-02-01T00:00:00.000Z')

function find(id: string, layer: Layer, score: number, service: string | null = null) {
  return { memory: makeMemory({ id, layer, service, content: `Fact ${id}` }), layer, score }
}

describe('renderQuery', () => {
  it('shows results under their layer, the nearest layer first, the best first in each', () => {
    const results = [
      find('a', 'company', 0.9),
      find('b', 'agent', 0.71),
      find('c', 'project', 0.8, 'caddy'),
      find('d', 'agent', 0.75),
    ]
    expect(renderQuery(results, { now: NOW }).text).toBe(`## Relevant Memory (4 memories, ~58 tokens)

### agent
- [timing] Fact d (confidence: 0.7)
- [timing] Fact b (confidence: 0.7)

### project
- [timing:caddy] Fact c (confidence: 0.7)

### company
- [timing] Fact a (confidence: 0.7)`)
  })

  it('spends the budget on the best scores of all layers', () => {
    const results = [find('a', 'agent', 0.7), find('b', 'project', 0.99), find('c', 'agent', 0.71)]
    const { text, included, omitted } = renderQuery(results, { now: NOW, budget: 30 })
    expect(included.map(({ id }) => id)).toEqual(['b'])
    expect(omitted.map(({ id }) => id)).toEqual(['c', 'a'])
    expect(text).toContain('(1 of 3 memories, ~')
  })

  it('does not let a service close its label', () => {
    const { text } = renderQuery([find('a', 'agent', 0.9, 'x] ## y\n[z')], { now: NOW })
    expect(text).toContain('\n- [timing:x) ## y (z] Fact a')
  })
})
