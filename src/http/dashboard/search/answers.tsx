import { isVagueQuery } from '../../../engine/search.ts'
import type { SearchResult, SearchResults } from '../../../model/provider.ts'
import type { SearchMode } from '../../../model/schema.ts'
import { roundDown } from '../../../text/round-down.ts'
import { countMemories, countOf } from '../format.ts'
import { Empty } from '../parts/blocks.tsx'
import { Bar, Category, Chip, Confidence, MemoryLink, Service, Time } from '../parts/memory-parts.tsx'
import { href, memoryPath, type View } from '../view.ts'

export interface Question {
  /** Empty if there is no query. */
  query: string
  mode: SearchMode
  threshold: number
}

interface AnswersProps {
  view: View
  answer: SearchResults & { ms: number }
  question: Question
}

export function Answers({ view, answer, question }: AnswersProps) {
  const { results, totalCount, searchedLayers, ms, corrected = [], closest = [] } = answer
  if (closest.length > 0) return <Closest view={view} results={closest} mode={question.mode} />
  if (results.length === 0) return <NothingFound view={view} question={question} />
  return (
    <>
      <p class="summary">
        {countMemories(totalCount)} in {ms.toFixed(0)} ms, from the layers {searchedLayers.join(', ')}
      </p>
      <Results view={view} results={results} mode={question.mode} />
      {corrected.map(({ id, by }) => (
        <p class="summary">
          <a href={memoryPath(view, id)}>A memory</a> was left out because it was{' '}
          <a href={memoryPath(view, by)}>corrected</a>
        </p>
      ))}
    </>
  )
}

/** The closest memories when no result is confident. */
function Closest(props: ResultsProps) {
  return (
    <>
      <p class="summary">No confident match. Closest:</p>
      <Results {...props} />
    </>
  )
}

interface ResultsProps {
  view: View
  results: readonly SearchResult[]
  mode: SearchMode
}

function Results({ view, results, mode }: ResultsProps) {
  return (
    <div class="card">
      <ol class="entries" data-rows>
        {results.map((result) => (
          <Result view={view} result={result} mode={mode} />
        ))}
      </ol>
    </div>
  )
}

function NothingFound({ view, question: { query, mode, threshold } }: { view: View; question: Question }) {
  if (isVagueQuery(query)) {
    const text = 'No memory uses it as a name. Add another word.'
    return <Empty icon="search" title="That query is too vague" text={text} />
  }
  if (threshold === 0) {
    const text =
      mode === 'keyword'
        ? 'No memory has any of these words. Try a search by meaning.'
        : 'There are no memories to search here yet.'
    return <Empty icon="search" title="Nothing was found" text={text} />
  }
  const text = `No memory scores ${threshold.toFixed(2)} or more. Lower the threshold to see what came closest.`
  return (
    <Empty icon="search" title="No close match" text={text}>
      <div class="actions">
        <a class="button" href={href(view, '/search', { q: query, mode, threshold: '0' })}>
          Show what came closest
        </a>
      </div>
    </Empty>
  )
}

function Result({ view, result, mode }: { view: View; result: SearchResult; mode: SearchMode }) {
  const { memory, score, explanation } = result
  const parts: [name: string, value: number | null | undefined][] = [
    ['score', score],
    ['meaning', mode === 'keyword' ? null : explanation?.semantic],
    ['words', mode === 'semantic' ? null : explanation?.keyword],
  ]
  return (
    <li class="result" tabindex={-1}>
      <div>
        <MemoryLink view={view} memory={memory} />
        <div class="about">
          <Service name={memory.service} />
          <Category name={memory.category} />
          <Confidence value={memory.confidence} active={memory.active} />
          <span>{result.layer} layer</span>
          <Time at={memory.updatedAt} />
        </div>
        {explanation && explanation.terms.length > 0 ? (
          <div class="about">
            words:{' '}
            {explanation.terms.slice(0, 12).map(({ term, weight }) => (
              <Chip text={`${term} ${weight.toFixed(2)}`} />
            ))}
          </div>
        ) : null}
        {explanation && explanation.collapsed.length > 0 ? (
          <div class="about">{countOf(explanation.collapsed.length, 'other says', 'others say')} the same</div>
        ) : null}
      </div>
      <div class="scores">
        {parts.map(([name, value]) =>
          value === null || value === undefined ? null : (
            <>
              <span>{name}</span>
              <Bar part={value} width="100%" kind={name === 'score' ? '' : 'off'} />
              <b>{roundDown(value, 3)}</b>
            </>
          ),
        )}
      </div>
    </li>
  )
}
