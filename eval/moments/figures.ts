import { type Figure, ratio } from '../interval.ts'
import type { Replayed } from './replay.ts'

/** Counts of one session; every figure is the ratio of two sums of these. */
interface Counted {
  met: Map<string, [met: number, of: number]>
  lines: number
  tokens: number
  onTopic: number
  idle: boolean
}

/** The results of these sessions, with intervals over sessions. */
export function figuresOf(replayed: readonly Replayed[]): Figure[] {
  const counted = replayed.map(count)
  const cues = [...new Set(counted.flatMap(({ met }) => [...met.keys()]))].sort()
  const figure = (name: string, up: (one: Counted) => number, down: (one: Counted) => number, unit?: 'number') =>
    ratio(
      name,
      counted.map((one) => [up(one), down(one)] as const),
      { unit: unit ?? 'share' },
    )
  const needs = (name: string, only: readonly string[]) => {
    const sum = (which: 0 | 1) => (one: Counted) => only.reduce((all, cue) => all + (one.met.get(cue)?.[which] ?? 0), 0)
    return figure(name, sum(0), sum(1))
  }
  const each = () => 1
  return [
    needs('needs met in time', cues),
    ...cues.map((cue) => needs(`cue: ${cue}`, [cue])),
    figure('lines a session', ({ lines }) => lines, each, 'number'),
    figure('tokens a session', ({ tokens }) => tokens, each, 'number'),
    figure(
      'lines that the session needs, or on its topic',
      ({ onTopic }) => onTopic,
      ({ lines }) => lines,
    ),
    figure(
      'lines where nothing is needed',
      ({ idle, lines }) => (idle ? lines : 0),
      ({ idle }) => Number(idle),
      'number',
    ),
  ]
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

/** What is to be reached on projects that nothing was tuned on. */
const BARS: Record<string, Figure['bar']> = {
  'needs met in time': { least: 0.82 },
  'cue: prompt': { least: 0.72 },
  'cue: command': { least: 0.75 },
  'cue: file': { least: 0.75 },
  'cue: error': { least: 0.92 },
  'cue: output': { least: 0.82 },
  'lines a session': { most: 12 },
  'lines that the session needs, or on its topic': { least: 0.36 },
  'lines where nothing is needed': { most: 3.5 },
}

export function withBar(figure: Figure): Figure {
  const bar = BARS[figure.name]
  return bar === undefined ? figure : { ...figure, bar }
}
