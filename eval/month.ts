/**
 * Measures what agents are shown while they disagree for a month:
 *
 *   nokosu eval month [--seeds 1,2,3] [--json]
 *
 * 30 days of 20 runs for each seed. Five honest agents say each fact twice a day, in changing words. One agent says the opposite of two of
 * the facts once a day, one of them an operator's; another says something else about a third every other day. On day 12 a fourth changes.
 * A fact is right where the truth is shown, and what is false is not, or both are marked as disputed. The engine, its models and its clock
 * are the real ones. Nothing is tuned on the seeds 1, 2 and 3.
 */
import { parseArgs } from 'node:util'
import { localEmbedding } from '../src/embedding/local.ts'
import type { Context } from '../src/engine/context.ts'
import { openMemory } from '../src/engine/open-memory.ts'
import { type Figure, mean, share } from './interval.ts'
import { FACTS, type Fact } from './month/facts.ts'
import { printReport } from './report.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1,2,3' }, json: { type: 'boolean', default: false } },
})
const HONEST = ['nori', 'koji', 'miso', 'dashi', 'yuzu']
const [DAYS, RUNS, CHANGE] = [30, 20, 12]
const WEEK_ENDS = [7, 14, 21, 28]
const DAY = 86_400_000
const START = Date.parse('2026-03-02T00:00:00.000Z')

/** How a fact is shown: right and alone, right and disputed, wrong, or not at all. */
type Shown = 'alone' | 'disputed' | 'wrong' | 'nothing'
interface Result {
  seed: number
  weekEnds: Record<string, Shown[]>
  /** Number of runs that were shown the operator's fact. */
  operator: number
  runs: number
  /** Days from the change until the new truth was right at the end of a day and stayed right. */
  daysToChange: number | null
}

const results: Result[] = []
for (const seed of values.seeds.split(',').map(Number)) {
  results.push(await simulate(seed))
  console.error(`seed ${seed}: ${DAYS} days, ${DAYS * RUNS} runs`)
}
const scoring =
  'A fact is right at the end of a week where the truth is shown, and what is false is not, or both are marked as disputed. Week ends of one run depend on each other, so these intervals are too narrow.'
const figures = figuresOf(results)
printReport({ eval: 'month', scoring, groups: [{ name: `seeds ${values.seeds}`, figures }] }, values.json)

async function simulate(seed: number): Promise<Result> {
  const random = generator(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  let clock = START
  const memory = await openMemory({
    storage: 'sqlite::memory:',
    embedding: localEmbedding(),
    now: () => new Date(clock),
  })
  const project = { projectId: 'month' }
  const weekEnds: Result['weekEnds'] = Object.fromEntries(FACTS.map(({ name }) => [name, []]))
  const rightAt: boolean[] = []
  let [operator, runs] = [0, 0]
  for (const { operator: isOperators, truth, category, service } of FACTS) {
    if (isOperators) await memory.as(project).add(truth[0]!, { layer: 'project', category, service, tier: 0 })
  }
  for (let day = 1; day <= DAYS; day++) {
    const plan = planOf(day, random, pick)
    for (let run = 0; run < RUNS; run++) {
      clock = START + (day - 1) * DAY + Math.floor((run / RUNS) * DAY)
      const { agent, says } = plan[run]!
      const session = `${day}-${run}`
      const own = memory.as({ ...project, agentId: agent })
      const context = await own.context({ session })
      runs++
      operator += Number(FACTS.every((fact) => !fact.operator || holds(context, fact.truth)))
      const markers = says.map(([{ category, service }, text]) => `[MEMORY:${category}:${service}] ${text}`)
      clock += 60_000
      if (markers.length > 0)
        await own.capture(markers.join('\n'), {
          format: 'text',
          session,
          tier: 1,
          layer: 'project',
          identifiers: { ...project, agentId: agent },
        })
      await own.endSession(session, {})
    }
    clock = START + day * DAY - 1
    const context = await memory.as(project).context()
    const changed = FACTS.find(({ later }) => later)!
    if (day >= CHANGE) rightAt.push(isRight(shownAs(context, changed, day)))
    if (WEEK_ENDS.includes(day)) for (const fact of FACTS) weekEnds[fact.name]!.push(shownAs(context, fact, day))
  }
  await memory.shutdown()
  const since = rightAt.lastIndexOf(false) + 1
  return { seed, weekEnds, operator, runs, daysToChange: since < rightAt.length ? since + 1 : null }
}

interface Plan {
  agent: string
  says: [Fact, string][]
}

/** The schedule of a day: which agent runs when, and what it says. */
function planOf(day: number, random: () => number, pick: <Item>(items: readonly Item[]) => Item): Plan[] {
  const plan = Array.from({ length: RUNS }, (): Plan => ({ agent: pick(HONEST), says: [] }))
  const places = plan.map((_, i) => i).sort(() => random() - 0.5)
  const [liar, flapper] = [plan[places.pop()!]!, plan[places.pop()!]!]
  liar.agent = 'toro'
  flapper.agent = 'fugu'
  for (const fact of FACTS) {
    const truth = day >= CHANGE && fact.later ? fact.later : fact.truth
    // The operator states it once.
    if (!fact.operator) for (let i = 0; i < 2; i++) plan[pick(places)]!.says.push([fact, pick(truth)])
    const { against } = fact
    if (against?.who === 'liar') liar.says.push([fact, pick(against.lies)])
    if (against?.who === 'flapper') flapper.says.push([fact, pick(day % 2 === 0 ? against.lies : fact.truth)])
  }
  return plan
}

function holds({ memories, included }: Context, texts: readonly string[]): boolean {
  const ids = new Set(included.map(({ id }) => id))
  return memories.some(({ id, content }) => ids.has(id) && texts.includes(content))
}

function shownAs(context: Context, { truth, later, against }: Fact, day: number): Shown {
  const isChanged = later !== undefined && day >= CHANGE
  const right = isChanged ? later : truth
  const wrong = [...(isChanged ? truth : (later ?? [])), ...(against?.lies ?? [])]
  const lines = context.text.split('\n')
  // A quotation in a dispute does not count as shown.
  const of = (texts: readonly string[]) =>
    lines.filter((line) => texts.some((text) => line.split(' (confidence:')[0]!.endsWith(`] ${text}`)))
  const [rights, wrongs] = [of(right), of(wrong)]
  if (rights.length === 0) return wrongs.length === 0 ? 'nothing' : 'wrong'
  if (wrongs.length === 0) return 'alone'
  return wrongs.every((line) => line.includes('(disputed:')) ? 'disputed' : 'wrong'
}

function isRight(shown: Shown): boolean {
  return shown === 'alone' || shown === 'disputed'
}

function figuresOf(all: readonly Result[]): Figure[] {
  const facts = FACTS.flatMap(({ name }) => {
    const ends = all.flatMap(({ weekEnds }) => weekEnds[name]!)
    const alone = ends.filter((shown) => shown === 'alone').length
    return [
      share(`${name}: right`, ends.filter(isRight).length, ends.length, { least: 11 / 12 }),
      share(`${name}: right, without a dispute`, alone, ends.length),
    ]
  })
  const sum = (of: (result: Result) => number) => all.reduce((total, result) => total + of(result), 0)
  const days = all.map(({ daysToChange }) => daysToChange ?? DAYS)
  return [
    ...facts,
    share(
      'runs that were shown the operator’s fact',
      sum(({ operator }) => operator),
      sum(({ runs }) => runs),
      { least: 1 },
    ),
    mean('days until the changed fact is right', days, { unit: 'number', bar: { most: 2 } }),
  ]
}

/** The same numbers for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
