/** Fifty agents at once on each store, and how many it takes until one in a hundred steps takes longer than a second. */
import type { Nokosu } from '../src/engine/nokosu.ts'
import { type Check, digits, type Section } from './report.ts'
import { STORES } from './stores.ts'
import { PROJECT, Synthetic } from './synthetic.ts'

const MEMORIES: Readonly<Record<string, number>> = { SQLite: 10_000, PostgreSQL: 10_000, 'DynamoDB Local': 2000 }
const AGENTS = [50, 100, 200, 400, 800] as const
const ASKED = AGENTS[0]
const BAR_MS = 1000
/** Each agent takes a step a second: two recalls, then an addition. */
const [STEP_MS, STEPS, EVERY] = [1000, 10, 3]
/** Later than this nobody waits for more. */
const HOPELESS_MS = 5000

export async function benchAgents(): Promise<Section> {
  const rows: Section['rows'] = []
  const checks: Check[] = []
  for (const [store, memories] of Object.entries(MEMORIES)) {
    const server = await STORES[store]!()
    try {
      await server.with(memories, async (memory) => {
        await together(memory, 5, 3)
        for (const agents of AGENTS) {
          console.error(`${store}, ${agents} agents`)
          const { p50, p99 } = await together(memory, agents, STEPS)
          rows.push({ store, memories, agents, 'p50, ms': digits(p50, 1), 'p99, ms': digits(p99, 1) })
          const claim = `p99 of a step of ${agents} agents at once on ${store}`
          if (agents === ASKED) checks.push({ claim, measured: p99, bar: BAR_MS, better: 'less', unit: 'ms' })
          if (p99 > BAR_MS) break
        }
      })
    } finally {
      await server.stop()
    }
  }
  return {
    title: 'Agents at once on one server',
    rows,
    checks,
    notes: [
      `One process serves them all, as \`nokosu serve\` does. Each agent takes a step a second: two recalls of what matters at a prompt, then an addition, in a project that all share. A time counts from the moment at which the step was due, so waiting for others is in it. The number of agents doubles until the 99th percentile is above ${BAR_MS / 1000} s: there the store gives way on this machine.`,
    ],
  }
}

async function together(memory: Nokosu, agents: number, steps: number): Promise<{ p50: number; p99: number }> {
  const times: number[] = []
  const start = performance.now()
  const agent = async (number: number) => {
    const synthetic = new Synthetic(1000 * agents + number)
    const own = memory.as({ ...PROJECT, agentId: `agent-${number}` })
    for (let step = 0; step < steps; step++) {
      const due = start + (step + number / agents) * STEP_MS
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      const text = `${synthetic.text(12)} of ${agents}-${number}-${step}`
      if (step % EVERY === EVERY - 1) await own.add({ content: text, layer: 'project', category: 'learning' })
      else await own.recall({ moment: { kind: 'prompt', text }, record: false })
      times.push(performance.now() - due)
      if (times.at(-1)! > HOPELESS_MS) return
    }
  }
  await Promise.all(Array.from({ length: agents }, (_, number) => agent(number)))
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!
  return { p50: at(0.5), p99: at(0.99) }
}
