import { DEFAULTS } from '../../../model/limits.ts'
import { SEARCH_MODES, type SearchMode } from '../../../model/schema.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Choice, Empty, FilterBar } from '../parts/blocks.tsx'
import type { View } from '../view.ts'
import { Answers, type Question } from './answers.tsx'

export const searchPage: Page = {
  path: '/search',
  summary: 'Try a question, and see how each score is made up.',
  async handle(view) {
    const question = readQuestion(view)
    const start = performance.now()
    const found = question.query === '' ? null : await view.own.search({ ...question, ...ASKED })
    const answer = found && { ...found, ms: performance.now() - start }
    return sendPage(view, {
      title: 'Search',
      lead: 'Ask as an agent would. Each result shows how its score is made up.',
      children: (
        <>
          <SearchForm view={view} question={question} />
          <div id="results">
            {answer === null ? <Ask view={view} /> : <Answers view={view} answer={answer} question={question} />}
          </div>
        </>
      ),
    })
  },
}

const ASKED = { limit: 20, explain: true, order: 'relevance' } as const
const MODE_NAMES: Record<SearchMode, string> = { hybrid: 'meaning and words', semantic: 'meaning', keyword: 'words' }

function readQuestion({ query }: View): Question {
  const threshold = Number(query('threshold') ?? DEFAULTS.threshold)
  return {
    query: query('q')?.slice(0, 8000) ?? '',
    mode: SEARCH_MODES.find((mode) => mode === query('mode')) ?? 'hybrid',
    threshold: threshold >= 0 && threshold <= 1 ? threshold : DEFAULTS.threshold,
  }
}

function SearchForm({ view, question: { query, mode, threshold } }: { view: View; question: Question }) {
  const search = { value: query, label: 'What to search for', placeholder: 'when does staging lose its data?' }
  return (
    <FilterBar view={view} path="/search" delay={300} search={search}>
      <Choice
        name="mode"
        label="Search by"
        value={mode}
        options={SEARCH_MODES.map((name) => [name, `by ${MODE_NAMES[name]}`])}
      />
      <label class="slider">
        <span>
          at least <input type="range" name="threshold" min="0" max="1" step="0.05" value={threshold} />{' '}
          <output>{threshold.toFixed(2)}</output>
        </span>
      </label>
    </FilterBar>
  )
}

function Ask({ view }: { view: View }) {
  return (
    <Empty
      icon="search"
      title="Ask something"
      text="Meaning counts as much as words: “slow start” finds “takes a minute to come up”."
      command={`${view.parts.command} search "when does staging lose its data"`}
    />
  )
}
