import { DEFAULTS } from '../../model/limits.ts'
import type { SearchResult, SearchResults } from '../../model/provider.ts'
import { SEARCH_MODES, type SearchMode } from '../../model/schema.ts'
import type { Route, ServerParts } from '../route.ts'
import { countOf } from './format.ts'
import { sendPage } from './layout.tsx'
import { pageRoute } from './page-route.ts'
import { Empty } from './parts/empty.tsx'
import { Bar, Category, Confidence, Service, Time } from './parts/memory-parts.tsx'
import { Stored } from './parts/stored.tsx'
import { href, type View } from './view.ts'

interface Question {
  query: string | undefined
  mode: SearchMode
  threshold: number
}

interface Answer extends SearchResults {
  ms: number
}

/** Try a question as an agent would ask it, and see why each answer was found. */
export function searchRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/search',
      summary: 'Try a question, and see what each score is made of.',
      async handle(view) {
        const question = readQuestion(view)
        const start = performance.now()
        const found =
          question.query === undefined
            ? null
            : await view.own.search({
                ...question,
                query: question.query,
                limit: 20,
                explain: true,
                order: 'relevance',
              })
        const answer = found && { ...found, ms: performance.now() - start }
        return sendPage(view, {
          title: 'Search',
          current: '/search',
          children: <SearchPage view={view} question={question} answer={answer} />,
        })
      },
    }),
  ]
}

function readQuestion({ query }: View): Question {
  const threshold = Number(query('threshold') ?? DEFAULTS.threshold)
  return {
    query: query('q')?.slice(0, 8000),
    mode: SEARCH_MODES.find((mode) => mode === query('mode')) ?? 'hybrid',
    threshold: threshold >= 0 && threshold <= 1 ? threshold : DEFAULTS.threshold,
  }
}

const MODE_NAMES: Record<SearchMode, string> = { hybrid: 'meaning and words', semantic: 'meaning', keyword: 'words' }

function SearchPage({ view, question, answer }: { view: View; question: Question; answer: Answer | null }) {
  const { query, mode, threshold } = question
  return (
    <>
      <div class="heading">
        <h1>Search</h1>
      </div>
      <p class="lead">Ask as an agent would. Each result shows what its score is made of.</p>
      <search>
        <form
          class="filters"
          action="/search"
          hx-get="/search"
          hx-target="#results"
          hx-select="#results"
          hx-swap="outerHTML"
          hx-push-url="true"
          hx-trigger="input changed delay:300ms from:#q, change, submit"
        >
          <input
            id="q"
            type="search"
            name="q"
            value={query ?? ''}
            placeholder="when does staging lose its data?"
            aria-label="What to search for"
            autocomplete="off"
          />
          <select name="mode" aria-label="Search by">
            {SEARCH_MODES.map((name) => (
              <option value={name} selected={name === mode}>
                by {MODE_NAMES[name]}
              </option>
            ))}
          </select>
          <label class="slider">
            <span>
              at least <input type="range" name="threshold" min="0" max="1" step="0.05" value={threshold} />{' '}
              <output>{threshold.toFixed(2)}</output>
            </span>
          </label>
          {view.query('project') === undefined ? null : (
            <input type="hidden" name="project" value={view.query('project')} />
          )}
        </form>
      </search>
      <div id="results">
        {answer === null ? <Ask view={view} /> : <Answers view={view} answer={answer} question={question} />}
      </div>
    </>
  )
}

function Ask({ view }: { view: View }) {
  return (
    <div class="sheet">
      <Empty icon="search" title="Ask something">
        <p>Meaning counts as much as words: “slow start” finds “takes a minute to come up”.</p>
        <code class="command">{view.parts.command} search "when does staging lose its data"</code>
      </Empty>
    </div>
  )
}

function Answers({ view, answer, question }: { view: View; answer: Answer; question: Question }) {
  if (answer.results.length === 0 && question.threshold === 0) {
    return (
      <div class="sheet">
        <Empty icon="search" title="Nothing was found">
          <p>
            {question.mode === 'keyword'
              ? 'No memory holds any of these words. By meaning there may be one.'
              : 'There are no memories to search here yet.'}
          </p>
        </Empty>
      </div>
    )
  }
  if (answer.results.length === 0) {
    return (
      <div class="sheet">
        <Empty icon="search" title="Nothing is near enough">
          <p>No memory scores {question.threshold.toFixed(2)} or more. Lower the threshold to see what came closest.</p>
          <div class="actions">
            <a class="button" href={href(view, '/search', { q: question.query, mode: question.mode, threshold: '0' })}>
              Show what came closest
            </a>
          </div>
        </Empty>
      </div>
    )
  }
  return (
    <>
      <p class="summary">
        {countOf(answer.totalCount, 'memory', 'memories')} in {answer.ms.toFixed(0)} ms, from the layers{' '}
        {answer.searchedLayers.join(', ')}
      </p>
      <div class="card">
        <ol class="entries" data-rows>
          {answer.results.map((result) => (
            <Result view={view} result={result} mode={question.mode} />
          ))}
        </ol>
      </div>
    </>
  )
}

function Result({ view, result, mode }: { view: View; result: SearchResult; mode: SearchMode }) {
  const { memory, score, explanation } = result
  const parts: [name: string, value: number | null][] = [
    ['score', score],
    ...(mode === 'keyword' ? [] : [['meaning', explanation?.semantic ?? null] as [string, number | null]]),
    ...(mode === 'semantic' ? [] : [['words', explanation?.keyword ?? null] as [string, number | null]]),
  ]
  return (
    <li class="result" tabindex={-1}>
      <div>
        <a data-key="open" href={href(view, `/memories/${encodeURIComponent(memory.id)}`)}>
          <Stored text={memory.content} />
        </a>
        <div class="about">
          <Category name={memory.category} />
          <Service name={memory.service} />
          <Confidence value={memory.confidence} active={memory.active} />
          <span>{result.layer} layer</span>
          <Time at={memory.updatedAt} now={view.now} />
        </div>
        {explanation && explanation.terms.length > 0 ? (
          <div class="about">
            words:{' '}
            {explanation.terms.slice(0, 12).map(({ term, weight }) => (
              <span class="chip">
                <Stored text={term} /> {weight.toFixed(2)}
              </span>
            ))}
          </div>
        ) : null}
        {explanation && explanation.collapsed.length > 0 ? (
          <div class="about">{countOf(explanation.collapsed.length, 'other says', 'others say')} the same</div>
        ) : null}
      </div>
      <div class="scores">
        {parts.map(([name, value]) =>
          value === null ? null : (
            <>
              <span>{name}</span>
              <Bar part={value} width="100%" kind={name === 'score' ? '' : 'off'} />
              <b>{value.toFixed(3)}</b>
            </>
          ),
        )}
      </div>
    </li>
  )
}
