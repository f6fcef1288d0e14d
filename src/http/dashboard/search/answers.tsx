import { saysLittle } from '../../../engine/search.ts'
import type { SearchResult, SearchResults } from '../../../model/provider.ts'
import type { SearchMode } from '../../../model/schema.ts'
import { countOf } from '../format.ts'
import { Empty } from '../parts/empty.tsx'
import { Bar, Category, Confidence, Service, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

export interface Question {
  query: string | undefined
  mode: SearchMode
  threshold: number
}

export interface Answer extends SearchResults {
  ms: number
}

/** What was found, and what each score is made of. */
export function Answers({ view, answer, question }: { view: View; answer: Answer; question: Question }) {
  if (answer.results.length === 0 && saysLittle(question.query ?? '')) {
    return (
      <div class="sheet">
        <Empty icon="search" title="That says little by itself">
          <p>No memory has it as a name for something. With another word there may be an answer.</p>
        </Empty>
      </div>
    )
  }
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
      <Corrected view={view} answer={answer} />
    </>
  )
}

/** What would have been found, had it not been corrected. */
function Corrected({ view, answer: { corrected = [] } }: { view: View; answer: Answer }) {
  const link = (id: string, text: string) => <a href={href(view, `/memories/${encodeURIComponent(id)}`)}>{text}</a>
  return (
    <>
      {corrected.map(({ id, by }) => (
        <p class="summary">
          {link(id, 'A memory')} was left out: it was {link(by, 'corrected')}
        </p>
      ))}
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
