/** How long a Claude Code hook waits: the answer of a warm server with 10,000 memories and the real embedder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localEmbedding } from '../src/embedding/local.ts'
import type { EmbeddingProvider } from '../src/embedding/provider.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import { type HookCall, Hooks } from '../src/mcp/hooks.ts'
import { sqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import { type Check, digits, type Section, spread, timed } from './report.ts'
import { fill, instantEmbedding, PROJECT, Synthetic } from './synthetic.ts'

const MEMORIES = 10_000
const ROUNDS = 60
const BAR_MS = 60

/** The vectors are made up, like those in the store, but their cost is real. */
function costlyEmbedding(): EmbeddingProvider {
  const [instant, local] = [instantEmbedding(), localEmbedding()]
  return {
    ...instant,
    async embed(texts, options) {
      await local.embed(texts, options)
      return instant.embed(texts, options)
    },
    close: () => local.close!(),
  }
}

const WORDS =
  'the deploy of our payment service fails since this morning because a migration waits for a lock in the staging database please find out why and restart it before noon then run all tests again'.split(
    ' ',
  )

/** English text that the tokenizer knows, with two words from the store. */
function say(synthetic: Synthetic, count: number): string {
  const words = Array.from({ length: count - 2 }, () => WORDS[Math.floor(synthetic.number() * WORDS.length)])
  return [...words, synthetic.word(), synthetic.word()].join(' ')
}

/** Output of a command. */
function lines(synthetic: Synthetic, count: number): string {
  return Array.from({ length: count }, () => say(synthetic, 10)).join('\n')
}

const MOMENTS: Record<string, (synthetic: Synthetic) => HookCall> = {
  prompt: (synthetic) => ({
    event: 'UserPromptSubmit',
    session: 's1',
    moment: { kind: 'prompt', text: [18, 14, 10].map((count) => `${say(synthetic, count)}.`).join(' ') },
  }),
  'before a command': (synthetic) => ({
    event: 'PreToolUse',
    session: 's1',
    moment: { kind: 'tool', name: 'Bash', input: { command: `cd ${synthetic.word()} && ${say(synthetic, 6)}` } },
  }),
  'after an output': (synthetic) => ({
    event: 'PostToolUse',
    session: 's1',
    moment: { kind: 'output', name: 'Bash', input: say(synthetic, 4), text: lines(synthetic, 40) },
  }),
  'after a failure': (synthetic) => ({
    event: 'PostToolUseFailure',
    session: 's1',
    moment: { kind: 'failure', name: 'Bash', input: say(synthetic, 4), error: say(synthetic, 60) },
  }),
}

export async function benchHooks(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-bench-'))
  const storage = sqliteStorage({ path: join(folder, 'memory.db'), durability: 'normal' })
  const memory = await openMemory({ storage, embedding: costlyEmbedding() })
  try {
    await fill(storage, MEMORIES, () => {})
    const own = memory.as(PROJECT)
    const hooks = new Hooks({ timeoutMs: 60_000 })
    const synthetic = new Synthetic(7)
    const rows: Section['rows'] = []
    const checks: Check[] = []
    for (const [name, call] of Object.entries(MOMENTS)) {
      const answer = () => hooks.answer({ client: 'bench', open: async () => own }, call(synthetic))
      for (let i = 0; i < 10; i++) await answer()
      const [times, used]: [number[], number[]] = [[], []]
      for (let i = 0; i < ROUNDS; i++) {
        const before = process.cpuUsage()
        times.push(await timed(answer))
        const { user, system } = process.cpuUsage(before)
        used.push((user + system) / 1000)
      }
      const [wall, cpu] = [spread(times), spread(used)]
      rows.push({
        moment: name,
        'median ms': digits(wall.median, 1),
        'p95 ms': digits(wall.p95, 1),
        'median cpu ms': digits(cpu.median, 1),
        'p95 cpu ms': digits(cpu.p95, 1),
      })
      const claim = `a hook ${name} with 10,000 memories, warm, processor time at p95`
      checks.push({ claim, measured: cpu.p95, bar: BAR_MS, better: 'less', unit: 'ms' })
    }
    return { title: 'Hooks of Claude Code', rows, checks }
  } finally {
    await memory.shutdown()
    rmSync(folder, { recursive: true, force: true })
  }
}
