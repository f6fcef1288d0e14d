import { CATEGORIES } from '../../../model/memory.ts'
import type { MemoryOrder } from '../../../storage/memory-query.ts'
import type { Tally } from '../../../storage/tally.ts'
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
  inactive: 'Not shown to agents',
  held: 'Held for review',
}

/** What is typed or chosen here is in the address, so that it can be kept and sent. */
export function FilterForm({ view, filters, tally }: { view: View; filters: Filters; tally: Tally }) {
  const { text, service, category, state, sort } = filters
  const services = tally.services.flatMap((row) => row.service ?? []).sort()
  const options = [
    ['general', 'general (no service)'] as const,
    ...services.map((name) => [serviceParameter(name), name] as const),
  ]
  const isListed = service === undefined || options.some(([value]) => value === service)
  return (
    <search>
      <form
        class="filters"
        action="/memories"
        hx-get="/memories"
        hx-trigger="input changed delay:200ms from:#q, change, submit"
        hx-target="#results"
        hx-select="#results"
        hx-swap="outerHTML"
        hx-push-url="true"
      >
        <input
          id="q"
          type="search"
          name="q"
          value={text ?? ''}
          placeholder="Filter by text  ( / )"
          aria-label="Filter by text"
          autocomplete="off"
        />
        <Choice
          name="service"
          label="Service"
          all="All services"
          value={service}
          options={isListed ? options : [...options, [service, service]]}
        />
        <Choice
          name="category"
          label="Category"
          all="All categories"
          value={category}
          options={CATEGORIES.map((name) => [name, name.replace('_', ' ')])}
        />
        <Choice
          name="state"
          label="State"
          all="Any state"
          value={state}
          options={STATES.map((name) => [name, STATE_NAMES[name]])}
        />
        <Choice name="sort" label="Order" value={sort} options={Object.entries(SORTS)} />
        {view.query('project') === undefined ? null : (
          <input type="hidden" name="project" value={view.query('project')} />
        )}
        <noscript>
          <button type="submit">Apply</button>
        </noscript>
      </form>
    </search>
  )
}

interface ChoiceProps {
  name: string
  label: string
  all?: string
  value: string | undefined
  options: readonly (readonly [value: string, name: string])[]
}

function Choice({ name, label, all, value, options }: ChoiceProps) {
  return (
    <select name={name} aria-label={label}>
      {all === undefined ? null : <option value="">{all}</option>}
      {options.map(([option, title]) => (
        <option value={option} selected={option === value}>
          {title}
        </option>
      ))}
    </select>
  )
}
