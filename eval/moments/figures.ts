import type { Replayed } from './replay.ts'

/** A figure with the interval in which it lies in 95 % of the samples drawn from the same sessions. */
export interface Figure {
  value: number
  low: number
  high: number
}

export interface Figures {
  sessions: number
  /** Needs met in time, of all. */
  needs: Figure & { met: number; of: number }
  byCue: Record<string, Figure & { met: number; of: number }>
  lines: Figure
  tokens: Figure
  /** Share of the lines that the session needs, or that are on its topic. */
  onTopic: Figure
  /** Lines in sessions that need nothing. */
  idleLines: Figure
}

/** What is counted of one session; every figure is the ratio of two sums of these. */
interface Counted {
  met: Map<string, [met: number, of: number]>
  lines: number
  tokens: number
  onTopic: number
  idle: boolean
}

const SAMPLES = 2000

export function figuresOf(replayed: readonly Replayed[]): Figures {
  const counted = replayed.map(count)
  const cues = [...new Set(counted.flatMap(({ met }) => [...met.keys()]))].sort()
  const figure = (up: (one: Counted) => number, down: (one: Counted) => number) => withInterval(counted, up, down)
  const needs = (only: readonly string[]) => {
    const sum = (which: 0 | 1) => (one: Counted) => only.reduce((all, cue) => all + (one.met.get(cue)?.[which] ?? 0), 0)
    const total = (of: (one: Counted) => number) => counted.reduce((all, one) => all + of(one), 0)
    return { ...figure(sum(0), sum(1)), met: total(sum(0)), of: total(sum(1)) }
  }
  return {
    sessions: counted.length,
    needs: needs(cues),
    byCue: Object.fromEntries(cues.map((cue) => [cue, needs([cue])])),
    lines: figure(
      ({ lines }) => lines,
      () => 1,
    ),
    tokens: figure(
      ({ tokens }) => tokens,
      () => 1,
    ),
    onTopic: figure(
      ({ onTopic }) => onTopic,
      ({ lines }) => lines,
    ),
    idleLines: figure(
      ({ idle, lines }) => (idle ? lines : 0),
      ({ idle }) => Number(idle),
    ),
  }
}

function count({ session, shown, tokens }: Replayed): Counted {
  const first = new Map<string, number>()
  for (const { memory, at } of shown) if (!first.has(memory)) first.set(memory, at)
  const met: Counted['met'] = new Map()
  for (const { memory, before, cue } of session.needs) {
    const [sofar, of] = met.get(cue) ?? [0, 0]
    met.set(cue, [sofar + Number((first.get(memory) ?? Number.POSITIVE_INFINITY) <= before), of + 1])
  }
  const topic = new Set([...session.needs.map(({ memory }) => memory), ...session.fine])
  const onTopic = [...first.keys()].filter((memory) => topic.has(memory)).length
  return { met, lines: first.size, tokens, onTopic, idle: session.needs.length === 0 }
}

function withInterval(all: readonly Counted[], up: (one: Counted) => number, down: (one: Counted) => number): Figure {
  const pairs = all.map((one) => [up(one), down(one)] as const)
  const ratio = (chosen: readonly (readonly [number, number])[]) => {
    const [top, bottom] = chosen.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0])
    return bottom === 0 ? 0 : top / bottom
  }
  const random = seeded(1)
  const drawn = Array.from({ length: SAMPLES }, () =>
    ratio(pairs.map(() => pairs[Math.floor(random() * pairs.length)]!)),
  )
  drawn.sort((a, b) => a - b)
  return { value: ratio(pairs), low: drawn[Math.floor(SAMPLES * 0.025)]!, high: drawn[Math.floor(SAMPLES * 0.975)]! }
}

/** The same samples every time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
