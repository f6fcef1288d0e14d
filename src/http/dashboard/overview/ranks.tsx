import type { Tally } from '../../../storage/tally.ts'
import { formatCount } from '../format.ts'
import { serviceParameter } from '../memories/filters.ts'
import { Card } from '../parts/blocks.tsx'
import { Bar } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

const MOST_RANKS = 8

export function Tallies({ view, tally }: { view: View; tally: Tally }) {
  const categories = tally.categories.map(({ category, memories }) => ({
    name: category.replace('_', ' '),
    memories,
    to: href(view, '/memories', { category }),
  }))
  const services = tally.services.map(({ service, memories }) => ({
    name: service ?? 'general (no service)',
    memories,
    to: href(view, '/memories', { service: serviceParameter(service) }),
  }))
  return (
    <>
      <Ranks title="By category" rows={categories} />
      <Ranks title="By service" rows={services} />
    </>
  )
}

function Ranks({ title, rows }: { title: string; rows: readonly { name: string; memories: number; to: string }[] }) {
  const sorted = [...rows].sort((a, b) => b.memories - a.memories).slice(0, MOST_RANKS)
  const most = Math.max(1, ...sorted.map(({ memories }) => memories))
  return (
    <Card title={title}>
      <ul class="ranks">
        {sorted.map(({ name, memories, to }) => (
          <li>
            <a href={to}>
              <Stored text={name} />
            </a>
            <Bar part={memories / most} width="100%" />
            <span>{formatCount(memories)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
