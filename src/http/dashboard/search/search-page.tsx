import { DEFAULTS } from '../../../model/limits.ts'
import { SEARCH_MODES, type SearchMode } from '../../../model/schema.ts'
import type { Route, ServerParts } from '../../route.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { Empty } from '../parts/empty.tsx'
import type { View } from '../view.ts'
import { type Answer, Answers, type Question } from './answers.tsx'

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
