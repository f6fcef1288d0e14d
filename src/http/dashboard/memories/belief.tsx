import { voicesOf } from '../../../lifecycle/belief.ts'
import { type Decay, decayed } from '../../../lifecycle/decay.ts'
import { ACTIVE_CONFIDENCE, type Memory } from '../../../model/memory.ts'
import { countOf, inUnits } from '../format.ts'
import { Card } from '../parts/blocks.tsx'
import { Chart, HEIGHT, round, WIDTH } from '../parts/chart.tsx'
import { MemoryLink, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { agentPath, type View } from '../view.ts'
import type { MemoryDetail } from './read-memory.ts'

/** The confidence over time, and who confirms or contradicts it. */
export function BeliefCard({ view, detail }: { view: View; detail: MemoryDetail }) {
  const { memory, isDeleted, links } = detail
  const opposed = links.flatMap(({ relation, memory: other }) =>
    other !== null && relation.startsWith('contradict') ? [other] : [],
  )
  return (
    <Card title="Belief over time">
      <BeliefPlot detail={detail} decay={view.parts.memory.settings.decay} />
      {isDeleted ? null : (
        <dl class="voices">
          <dt>Confirms</dt>
          <dd>
            <Voices view={view} memory={memory} author={detail.author} />
          </dd>
          {opposed.map((other) => (
            <>
              <dt>Contradicts</dt>
              <dd>
                <MemoryLink view={view} memory={other} clamp />
                <Voices view={view} memory={other} author={null} />
              </dd>
            </>
          ))}
        </dl>
      )}
    </Card>
  )
}

/** `author` is the agent of the run that recorded it, which a memory of the whole project does not name. */
function Voices({ view, memory, author }: { view: View; memory: Memory; author: string | null }) {
  const voices = voicesOf(memory)
  return (
    <ul class="names">
      {memory.trust === 'operator' ? (
        <li>
          <b>a person</b>
        </li>
      ) : null}
      {voices.map(({ agent, sessions, last }) => {
        const name = agent ?? (voices.length === 1 ? author : null)
        return (
          <li>
            {name === null ? (
              'an unnamed agent'
            ) : (
              <a href={agentPath(view, name)}>
                <Stored text={name} />
              </a>
            )}{' '}
            <span class="soft">
              in {countOf(sessions, 'run', 'runs')}, last <Time at={last} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Times at which the confidence is computed, because it fades between changes. */
const PLACES = 120
const TICKS = [0, 0.25, 0.5, 0.75, 1]

function BeliefPlot({ detail: { memory, changes, isDeleted }, decay }: { detail: MemoryDetail; decay: Decay }) {
  const states = changes.flatMap(({ at, after }) => (after === null ? [] : [{ at: Date.parse(at), after }]))
  const start = Math.min(Date.parse(memory.createdAt), ...states.map(({ at }) => at))
  const deletion = changes.findLast(({ operation }) => operation === 'delete')
  const end = isDeleted && deletion !== undefined ? Date.parse(deletion.at) : Date.now()
  const span = Math.max(1, end - start)
  const times = [
    ...Array.from({ length: PLACES + 1 }, (_, i) => start + (i / PLACES) * span),
    // On both sides of a change, so that the line shows a step.
    ...states.flatMap(({ at }) => [at - 1, at]).filter((at) => at >= start && at <= end),
  ].sort((a, b) => a - b)
  const point = (at: number) => {
    const state = states.findLast((each) => each.at <= at)?.after ?? states[0]?.after ?? memory
    const { confidence } = decayed(state, new Date(at), decay)
    return `${round(((at - start) / span) * WIDTH)},${round(HEIGHT - confidence * HEIGHT)}`
  }
  const points = times.map(point)
  const limit = round(HEIGHT - ACTIVE_CONFIDENCE * HEIGHT)
  const label = `Confidence from ${(states[0]?.after ?? memory).confidence.toFixed(2)} when it was recorded to ${memory.confidence.toFixed(2)} ${isDeleted ? 'when it was deleted' : 'now'}`
  const before = `${inUnits(span / 1000)} ${isDeleted ? 'before' : 'ago'}`
  return (
    <Chart
      label={label}
      ticks={TICKS}
      format={(tick) => tick.toFixed(2)}
      below={[before, isDeleted ? 'deleted' : 'now']}
      legend={
        <>
          <span>confidence</span>
          <span class="mark">below {ACTIVE_CONFIDENCE.toFixed(2)} agents are not shown it</span>
        </>
      }
    >
      <line class="mark" x1="0" x2={WIDTH} y1={limit} y2={limit} />
      <polyline class="stroke" points={points.join(' ')} />
    </Chart>
  )
}
