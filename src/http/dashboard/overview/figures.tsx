import { LIMITS } from '../../../model/limits.ts'
import { countOf, formatCount } from '../format.ts'
import { href, type View } from '../view.ts'
import { everyDay } from './plots.tsx'
import type { Attention, Overview } from './read-overview.ts'

interface Figure {
  name: string
  value: string
  remark: string
  to: string
}

/** Whether it works: do runs get memories, use them, and record new ones? */
export function Figures({ view, overview, range }: { view: View; overview: Overview; range: number }) {
  const { tally, fleet } = overview
  const sum = (of: (day: Overview['fleet']['days'][number]) => number) =>
    fleet.days.reduce((total, day) => total + of(day), 0)
  const [runs, withMemories, shown, used] = [
    sum((day) => day.runs),
    sum((day) => day.withMemories),
    sum((day) => day.shown),
    sum((day) => day.used),
  ]
  const good = fleet.agents.reduce((total, { succeeded }) => total + succeeded, 0)
  const ended = good + fleet.agents.reduce((total, { failed }) => total + failed, 0)
  const days = everyDay(tally, range)
  const learned = days.reduce((total, day) => total + day.learned, 0)
  const corrected = days.reduce((total, day) => total + day.corrected, 0)
  const figures: Figure[] = [
    {
      name: 'Memories',
      value: formatCount(tally.memories),
      remark: `${formatCount(tally.visible)} shown to agents`,
      to: '/memories',
    },
    {
      name: 'Learned',
      value: formatCount(learned),
      remark: countOf(corrected, 'correction', 'corrections'),
      to: '/memories',
    },
    {
      name: 'Runs',
      value: formatCount(fleet.total),
      remark: fleet.total === 0 ? 'no agent has run yet' : `${share(good, ended)} succeeded`,
      to: '/sessions',
    },
    {
      name: 'Runs with memories',
      value: share(withMemories, runs),
      remark: `${formatCount(withMemories)} of ${countOf(runs, 'run', 'runs')}`,
      to: '/sessions',
    },
    {
      name: 'Memories used',
      value: share(used, shown),
      remark: `${formatCount(used)} of ${formatCount(shown)} shown`,
      to: '/fleet',
    },
  ]
  return (
    <dl class="figures">
      {figures.map(({ name, value, remark, to }) => (
        <div class="card figure">
          <dt>{name}</dt>
          <dd>
            <a href={href(view, to)}>{value}</a>
          </dd>
          <dd class="remark">{remark}</dd>
        </div>
      ))}
    </dl>
  )
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`
}

/** What needs a person. */
export function AttentionList({ view, attention }: { view: View; attention: Attention }) {
  const { held, disputed, unverified, fading, pending } = attention
  const rows: [count: number, name: string, to: string][] = [
    [held, 'held for review', href(view, '/review')],
    [disputed, 'disputed', href(view, '/memories', { state: 'disputed' })],
    [unverified, 'unverified', href(view, '/memories', { state: 'unverified' })],
    [fading, 'fading within two weeks', href(view, '/memories', { sort: 'fading', state: 'active' })],
    ...(pending === null ? [] : [[pending, 'pending writes', href(view, '/cooldowns')] as [number, string, string]]),
  ]
  return (
    <ul class="attention" aria-label="Needs attention">
      {rows.map(([count, name, to]) => (
        <li class={count === 0 ? 'none' : undefined}>
          <a href={to}>
            <b>{count === LIMITS.listLimit ? `${count}+` : formatCount(count)}</b> {name}
          </a>
        </li>
      ))}
    </ul>
  )
}
