/** How long the operational block takes for many memories. */
import { OPERATIONAL_CATEGORIES } from '../src/model/categories.ts'
import { clampConfidence, type Memory } from '../src/model/memory.ts'
import { renderOperational } from '../src/recall/render-operational.ts'
import { makeMemory } from '../test/fixtures/make-memory.ts'
import { digits, type Section, time } from './report.ts'

const NOW = new Date('2026-06-01T00:00:00Z')

export async function benchRender(count = 1200): Promise<Section> {
  const memories = Array.from({ length: count }, (_, index) => benchMemory(index))
  const started = performance.now()
  const { included } = renderOperational(memories, { now: NOW })
  const first = performance.now() - started
  const { median, p95 } = await time(100, () => renderOperational(memories, { now: NOW }))
  return {
    title: 'Rendering the operational block, milliseconds',
    rows: [
      { memories: count, shown: included.length, median: digits(median), p95: digits(p95), first: digits(first, 1) },
    ],
    checks: [{ claim: 'rendering 1,200 candidates', measured: median, bar: 5, better: 'less', unit: 'ms' }],
  }
}

/** Every fourth has a colon, which makes escaping slower. */
function benchMemory(index: number): Memory {
  const said = ' -- wait before checking health, then look at the logs'.repeat(1 + (index % 3))
  return makeMemory({
    id: `01J${String((index * 7919) % 100_003).padStart(23, '0')}`,
    content: `Start number ${index}${index % 4 === 0 ? ':' : ''} takes ${index % 90} s after a restart${said}`,
    category: OPERATIONAL_CATEGORIES[index % OPERATIONAL_CATEGORIES.length]!,
    service: index % 13 === 0 ? null : `service-${index % 13}`,
    confidence: clampConfidence(0.3 + (index % 71) / 100),
  })
}
