import type { MemoryOrder } from '../../../storage/memory-query.ts'
import type { Tally } from '../../../storage/tally.ts'
import { countMemories, formatCount } from '../format.ts'
import { Empty, Pager, Table } from '../parts/blocks.tsx'
import { href, type View } from '../view.ts'
import { FilterForm } from './filter-form.tsx'
import { type Filters, isFiltered, toParameters } from './filters.ts'
import type { Listed } from './read-list.ts'
import { MemoryRow } from './row.tsx'

export interface ListPage extends Listed {
  view: View
  filters: Filters
  tally: Tally
}

export function MemoriesPage(props: ListPage) {
  return (
    <>
      <FilterForm view={props.view} filters={props.filters} tally={props.tally} />
      <div id="new" />
      <Results {...props} />
    </>
  )
}

function Results({ view, filters, found, standings, tally }: ListPage) {
  const { memories, totalCount, nextCursor } = found
  if (memories.length === 0) {
    const isAll = !isFiltered(filters) && view.query('after') === undefined
    return <div id="results">{isAll ? <NothingYet view={view} /> : <NothingFound view={view} />}</div>
  }
  return (
    <div id="results">
      <div class="summary">
        <span>
          {countMemories(totalCount)}
          {isFiltered(filters) ? ` of ${formatCount(tally.memories)}` : ''}
        </span>
        {isFiltered(filters) ? <a href={href(view, '/memories')}>Clear the filters</a> : null}
      </div>
      <Table columns={columnsOf(view, filters)}>
        {memories.map((memory) => (
          <MemoryRow view={view} memory={memory} standing={standings.get(memory.id)} />
        ))}
      </Table>
      {view.access.may('write') ? <BulkBar /> : null}
      <Pager view={view} path="/memories" parameters={toParameters(filters)} next={nextCursor} />
    </div>
  )
}

function columnsOf(view: View, filters: Filters) {
  const sorted = (sort: MemoryOrder, title: string) => (
    <th scope="col" aria-sort={filters.sort === sort ? 'descending' : undefined}>
      <a href={href(view, '/memories', { ...toParameters(filters), sort })}>{title}</a>
    </th>
  )
  const all = (
    <th scope="col">
      <input type="checkbox" data-all autocomplete="off" aria-label="Select all on this page" />
    </th>
  )
  const actions = (
    <th scope="col">
      <span class="hidden-label">Actions</span>
    </th>
  )
  return [
    ...(view.access.may('write') ? [all] : []),
    ...['Observation', sorted('confidence', 'Confidence'), 'State', sorted('updated', 'Updated'), actions],
  ]
}

function BulkBar() {
  const action = (name: string) => ({
    'hx-post': '/memories/bulk',
    'hx-vals': JSON.stringify({ action: name }),
    'hx-swap': 'none',
  })
  return (
    <fieldset class="bulk">
      <legend class="hidden-label">Selected memories</legend>
      <strong>0 selected</strong>
      <button type="button" {...action('raise')}>
        Reactivate
      </button>
      <button type="button" {...action('deactivate')}>
        Deactivate
      </button>
      <button
        type="button"
        class="danger"
        {...action('delete')}
        hx-confirm="The selected memories will be deleted. You can undo it."
      >
        Delete
      </button>
    </fieldset>
  )
}

function NothingFound({ view }: { view: View }) {
  return (
    <Empty
      icon="memories"
      title="Nothing matches"
      text="No memory matches these filters. The search page also finds by meaning."
    >
      <div class="actions">
        <a class="button" href={href(view, '/memories')}>
          Clear the filters
        </a>
        <a class="button" href={href(view, '/search', { q: view.query('q') })}>
          Search by meaning
        </a>
      </div>
    </Empty>
  )
}

function NothingYet({ view }: { view: View }) {
  return (
    <Empty
      icon="memories"
      title="There are no memories yet"
      text="Agents record them when they run, and you can add one yourself."
      command={`${view.parts.command} run --agent nori -- claude -p "your task"`}
    />
  )
}
