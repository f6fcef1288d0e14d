/** How long the operational block takes for many memories. `node bench/render.ts [memories]`. */
import { makeMemory } from '../src/lifecycle/memory.fixture.ts'
import { clampConfidence, type Memory, OPERATIONAL_CATEGORIES } from '../src/model/memory.ts'
import { renderOperational } from '../src/recall/render-operational.ts'

export interface RenderBench {
  memories: number
  included: number
  /** Milliseconds of one rendering; the first ones warm up and do not count. */
  median: number
  p95: number
  /** Milliseconds of the very first one in this process. */
  first: number
  /** Whether the median is under the 5 ms that a session's start allows for it. */
  withinTarget: boolean
}

const TARGET_MS = 5

const NOW = new Date('2026-01-01T00:00:00.000Z')

/** Renders made-up memories of a dozen services in the default budget. */
export function benchRender(count = 1200, rounds = 60): RenderBench {
  const memories = Array.from({ length: count }, (_, index) => benchMemory(index))
  let included = 0
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now()
    included = renderOperational(memories, { now: NOW }).included.length
    return performance.now() - started
  })
  const first = times[0]!
  const warm = times.slice(Math.min(10, rounds - 1)).sort((a, b) => a - b)
  const median = warm[Math.floor(warm.length / 2)]!
  return {
    memories: count,
    included,
    first,
    median,
    withinTarget: median < TARGET_MS,
    p95: warm[Math.floor(warm.length * 0.95)]!,
  }
}

/** Every fourth has a colon, which makes its escaping the longer one. */
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

if (import.meta.main) {
  const bench = benchRender(Number(process.argv[2] ?? 1200))
  console.log(
    `render: ${bench.memories} memories, ${bench.included} shown, median ${bench.median.toFixed(2)} ms, ` +
      `p95 ${bench.p95.toFixed(2)} ms, first ${bench.first.toFixed(1)} ms`,
  )
  if (!bench.withinTarget) process.exitCode = 1
}
