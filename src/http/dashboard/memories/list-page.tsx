import type { MemoryList } from '../../../model/provider.ts'
import type { MemoryOrder } from '../../../storage/memory-query.ts'
import type { Tally } from '../../../storage/tally.ts'
import { countOf, formatCount } from '../format.ts'
import { Empty } from '../parts/empty.tsx'
import { href, type View } from '../view.ts'
import { FilterForm } from './filter-form.tsx'
import { type Filters, isFiltered, toParameters } from './filters.ts'
import { MemoryRow } from './row.tsx'

export interface ListPage {
  view: View
  filters: Filters
  found: MemoryList
  tally: Tally
}

export function MemoriesPage(props: ListPage) {
  const { view } = props
  const mayWrite = view.access.may('write')
  return (
    <>
      <div class="heading">
        <h1>Memories</h1>
        {mayWrite ? (
          <button type="button" class="primary" data-key="n" hx-get={href(view, '/memories/new')} hx-target="#new">
            Add a memory
          </button>
        ) : null}
      </div>
      <FilterForm view={view} filters={props.filters} tally={props.tally} />
      <div id="new" />
      <Results {...props} />
    </>
  )
}

/** What changes with a filter, and by itself when somebody else writes. */
function Results(props: ListPage) {
  const { view, filters, found } = props
  const { memories, totalCount } = found
  const isAll = !isFiltered(filters) && filters.cursor === undefined
  if (memories.length === 0) {
    return (
      <div id="results">
        <div class="sheet">{isAll ? <NothingYet view={view} /> : <NothingFound view={view} />}</div>
      </div>
    )
  }
  return (
    <div id="results">
      <div class="summary">
        <span>
          {countOf(totalCount, 'memory', 'memories')}
          {isFiltered(filters) ? ` of ${formatCount(props.tally.memories)}` : ''}
        </span>
        {isFiltered(filters) ? <a href={href(view, '/memories')}>Clear the filters</a> : null}
      </div>
      <div class="sheet">
        <table class="cards">
          <Head {...props} />
          <tbody data-rows>
            {memories.map((memory) => (
              <MemoryRow view={view} memory={memory} />
            ))}
          </tbody>
        </table>
      </div>
      <BulkBar view={view} />
      <Pager {...props} />
    </div>
  )
}

function Head({ view, filters }: ListPage) {
  const sorted = (sort: MemoryOrder, title: string) => (
    <th scope="col" aria-sort={filters.sort === sort ? 'descending' : undefined}>
      <a href={href(view, '/memories', { ...toParameters(filters), sort })}>{title}</a>
    </th>
  )
  return (
    <thead>
      <tr>
        {view.access.may('write') ? (
          <th scope="col">
            <input type="checkbox" data-all autocomplete="off" aria-label="Choose all on this page" />
          </th>
        ) : null}
        <th scope="col">Service</th>
        <th scope="col">Category</th>
        <th scope="col">Observation</th>
        {sorted('confidence', 'Confidence')}
        <th scope="col">State</th>
        {sorted('updated', 'Updated')}
        <th scope="col">Session</th>
        <th scope="col">
          <span class="hidden-label">Actions</span>
        </th>
      </tr>
    </thead>
  )
}

function BulkBar({ view }: { view: View }) {
  if (!view.access.may('write')) return null
  const action = (name: string) => ({
    'hx-post': '/memories/bulk',
    'hx-vals': JSON.stringify({ action: name }),
    'hx-swap': 'none',
  })
  return (
    <fieldset class="bulk">
      <legend class="hidden-label">What is chosen</legend>
      <strong>0 chosen</strong>
      <button type="button" {...action('raise')}>
        Bring back
      </button>
      <button type="button" {...action('deactivate')}>
        Deactivate
      </button>
      <button
        type="button"
        class="danger"
        {...action('delete')}
        hx-confirm="The chosen memories are deleted. You can undo it."
      >
        Delete
      </button>
    </fieldset>
  )
}

function Pager({ view, filters, found }: ListPage) {
  const page = (cursor?: string) => href(view, '/memories', { ...toParameters(filters), after: cursor })
  return (
    <nav class="pager" aria-label="Pages of the list">
      {filters.cursor === undefined ? null : (
        <a class="button" href={page()}>
          First page
        </a>
      )}
      {found.nextCursor === null ? null : (
        <a class="button" rel="next" href={page(found.nextCursor)}>
          Next {found.memories.length}
        </a>
      )}
    </nav>
  )
}

function NothingFound({ view }: { view: View }) {
  return (
    <Empty icon="memories" title="Nothing matches">
      <p>No memory fits these filters. The search page finds by meaning, too.</p>
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
    <Empty icon="memories" title="There are no memories yet">
      <p>Agents leave them behind when they run, and you can add one yourself.</p>
      <code class="command">{view.parts.command} run --agent nori -- claude -p "your task"</code>
    </Empty>
  )
}
