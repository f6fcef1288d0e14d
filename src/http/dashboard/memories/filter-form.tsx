import { CATEGORIES } from '../../../model/categories.ts'
import type { MemoryOrder } from '../../../storage/memory-query.ts'
import type { Tally } from '../../../storage/tally.ts'
import { Choice, FilterBar } from '../parts/blocks.tsx'
import type { View } from '../view.ts'
import { type Filters, STATES, serviceParameter } from './filters.ts'

const SORTS: Record<MemoryOrder, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  updated: 'Last updated',
  confidence: 'Most certain',
  importance: 'Most important',
  fading: 'Fading next',
}
const STATE_NAMES: Record<(typeof STATES)[number], string> = {
  active: 'Active',
  unverified: 'Unverified',
  disputed: 'Disputed',
  corrected: 'Corrected',
  inactive: 'Inactive',
  held: 'Held for review',
}

export function FilterForm({ view, filters, tally }: { view: View; filters: Filters; tally: Tally }) {
  const { text, service, category, state, sort } = filters
  const services = tally.services.flatMap((row) => row.service ?? []).sort()
  const options = [
    ['general', 'general (no service)'] as const,
    ...services.map((name) => [serviceParameter(name), name] as const),
  ]
  const isListed = service === undefined || options.some(([value]) => value === service)
  const categories = CATEGORIES.map((name) => [name, name.replace('_', ' ')] as const)
  const states = STATES.map((name) => [name, STATE_NAMES[name]] as const)
  const search = { value: text, label: 'Filter by text', placeholder: 'Filter by text  ( / )' }
  return (
    <FilterBar view={view} path="/memories" delay={200} search={search}>
      <Choice
        name="service"
        label="Service"
        all="All services"
        value={service}
        options={isListed ? options : [...options, [service, service]]}
      />
      <Choice name="category" label="Category" all="All categories" value={category} options={categories} />
      <Choice name="state" label="State" all="Any state" value={state} options={states} />
      <Choice name="sort" label="Order" value={sort} options={Object.entries(SORTS)} />
    </FilterBar>
  )
}
