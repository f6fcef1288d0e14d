import type { CollectedSession } from './collect.ts'

export interface Policy {
  /** The minimum score to show a candidate, by kind of moment. */
  from: Record<string, number>
  /** The increase with each shown line. */
  rise: number
  /** Maximum number of lines, by kind of moment. */
  lines: Record<string, number>
}

export interface Played {
  met: number
  needs: number
  lines: number
  onTopic: number
  idle: number
  byCue: Record<string, [met: number, of: number]>
}

/** Scores of the candidates at each moment of a session, in the order of the candidates. */
export type Scores = Map<CollectedSession, number[][]>

/** What the policy would show with these scores, like `choose.ts`. */
export function play(sessions: readonly CollectedSession[], scores: Scores, { from, rise, lines }: Policy): Played {
  const sum = { met: 0, needs: 0, lines: 0, onTopic: 0, idle: 0, idleSessions: 0 }
  const byCue: Played['byCue'] = {}
  for (const collected of sessions) {
    const { session, moments } = collected
    const shown = new Map<string, number>()
    moments.forEach(({ at, kind, candidates }, i) => {
      const own = scores.get(collected)![i]!
      const order = candidates.map((_, j) => j).sort((a, b) => own[b]! - own[a]!)
      let count = 0
      for (const j of order) {
        if (count >= lines[kind]! || own[j]! < from[kind]! + rise * shown.size) break
        const { memory } = candidates[j]!
        if (shown.has(memory)) continue
        shown.set(memory, at)
        count++
      }
    })
    const topic = new Set([...session.needs.map(({ memory }) => memory), ...session.fine])
    sum.lines += shown.size
    sum.onTopic += [...shown.keys()].filter((memory) => topic.has(memory)).length
    if (session.needs.length === 0) {
      sum.idle += shown.size
      sum.idleSessions++
    }
    for (const { memory, before, cue } of session.needs) {
      const met = Number((shown.get(memory) ?? Number.POSITIVE_INFINITY) <= before)
      const own = byCue[cue] ?? [0, 0]
      byCue[cue] = own
      own[0] += met
      own[1]++
      sum.met += met
      sum.needs++
    }
  }
  return {
    met: sum.met / sum.needs,
    needs: sum.needs,
    lines: sum.lines / sessions.length,
    onTopic: sum.onTopic / Math.max(1, sum.lines),
    idle: sum.idle / Math.max(1, sum.idleSessions),
    byCue,
  }
}

/** The common minimum score that gives this many lines per session. */
export function lineFor(
  sessions: readonly CollectedSession[],
  scores: Scores,
  lines: number,
  policy: Omit<Policy, 'from'>,
): number {
  let [low, high] = [-20, 20]
  for (let i = 0; i < 24; i++) {
    const middle = (low + high) / 2
    if (play(sessions, scores, { ...policy, from: sameFor(middle) }).lines > lines) low = middle
    else high = middle
  }
  return high
}

export function sameFor(from: number): Record<string, number> {
  return { prompt: from, tool: from, failure: from, output: from }
}

export function toText({ met, lines, onTopic, idle, byCue }: Played): string {
  const cues = Object.entries(byCue)
    .sort()
    .map(([cue, [own, of]]) => `${cue} ${percent(own / of)}`)
  return `needs in time ${percent(met)}, lines ${lines.toFixed(1)}, on topic ${percent(onTopic)}, idle ${idle.toFixed(1)} (${cues.join(', ')})`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
