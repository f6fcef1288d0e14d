import type { MemoryUsefulness } from '../../../engine/usefulness.ts'
import { notFound } from '../../../engine/write.ts'
import { LEAST_RUNS } from '../../../lifecycle/usefulness.ts'
import type { Link } from '../../../model/memory.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Card, Entries, Fields } from '../parts/blocks.tsx'
import { Category, Chip, Confidence, MemoryLink, Service, State, Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Passage, Stored } from '../parts/stored.tsx'
import { mayChange, memoryPath, sessionPath, type View } from '../view.ts'
import { DecisionsCard } from './decisions.tsx'
import { Facts } from './facts.tsx'
import { History } from './history.tsx'
import { type MemoryDetail, readMemory } from './read-memory.ts'
import { quote } from './row.tsx'

export const memoryPage: Page = {
  path: '/memories/:id',
  summary: 'One memory: its history, where it came from, and which runs saw it.',
  async handle(view) {
    const id = view.param('id')
    const detail = await readMemory(view, id)
    if (!detail) throw notFound(id)
    return sendPage(view, {
      title: quote(detail.memory.content),
      heading: detail.isDeleted ? 'Deleted memory' : 'Memory',
      actions: mayChange(view, detail.memory) ? <Actions view={view} detail={detail} /> : null,
      children: (
        <>
          <div id="edit" />
          <div id="results" class="columns wide-left">
            <div class="stack">
              <Observation detail={detail} />
              <DecisionsCard view={view} detail={detail} />
              <Related view={view} links={detail.links} />
              <Card title="History">
                <History changes={detail.changes} />
              </Card>
            </div>
            <div class="stack">
              <Facts view={view} memory={detail.memory} />
              <Runs view={view} detail={detail} />
            </div>
          </div>
        </>
      ),
    })
  },
}

function Actions({ view, detail: { memory, isDeleted } }: { view: View; detail: MemoryDetail }) {
  if (isDeleted) {
    return (
      <button type="button" hx-post="/memories/restore" hx-vals={JSON.stringify({ id: memory.id })} hx-swap="none">
        Restore
      </button>
    )
  }
  return (
    <>
      <button
        type="button"
        data-key="edit"
        hx-get={memoryPath(view, memory.id, '/edit', { on: 'page' })}
        hx-target="#edit"
      >
        Edit
      </button>
      <button
        type="button"
        class="danger"
        data-key="d"
        hx-post={`/memories/${encodeURIComponent(memory.id)}/delete`}
        hx-swap="none"
        hx-confirm="This memory will be deleted. You can undo it."
      >
        Delete
      </button>
    </>
  )
}

function Observation({ detail: { memory, isDeleted } }: { detail: MemoryDetail }) {
  return (
    <section class={isDeleted ? 'card faded' : 'card'}>
      <Passage class="lone" length={memory.content.length}>
        <Stored text={memory.content} />
      </Passage>
      <div class="about">
        <Category name={memory.category} />
        <Service name={memory.service} />
        <Confidence value={memory.confidence} active={memory.active} />
        {isDeleted ? <Chip text="deleted" kind="bad" /> : <State memory={memory} />}
      </div>
    </section>
  )
}

const RELATIONS: Record<Link['relation'], string> = {
  contradicts: 'Corrects',
  contradictedBy: 'Was corrected by',
  confirms: 'Confirms',
  confirmedBy: 'Is confirmed by',
}

function Related({ view, links }: { view: View; links: MemoryDetail['links'] }) {
  if (links.length === 0) return null
  return (
    <Card title="Related memories">
      <ul class="entries">
        {links.map(({ relation, memory }) => (
          <li class={memory?.active ? undefined : 'faded'}>
            <Chip text={RELATIONS[relation]} kind={relation.startsWith('contra') ? 'warn' : ''} />{' '}
            {memory === null ? (
              <span class="soft">a memory that is gone</span>
            ) : (
              <>
                <MemoryLink view={view} memory={memory} />
                <div class="about">
                  <Confidence value={memory.confidence} active={memory.active} /> <State memory={memory} />
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Runs({ view, detail: { memory, runs, furtherRuns, usefulness } }: { view: View; detail: MemoryDetail }) {
  return (
    <Card title="Runs that saw it">
      {usefulness && usefulness.shown > 0 ? <Ends usefulness={usefulness} /> : null}
      <Entries
        none="No run has been shown it yet."
        items={runs.map(({ at, id, session }) => (
          <li>
            <a href={sessionPath(view, id)}>
              <Stored text={session?.agent ?? id} />
            </a>
            <div class="about">
              <Outcome session={session} /> <Time at={at} />
            </div>
          </li>
        ))}
      />
      {furtherRuns > 0 ? (
        <p class="more soft">
          and {furtherRuns} earlier; recalled {memory.recallCount} times in all
        </p>
      ) : null}
    </Card>
  )
}

const VERDICTS = {
  helps: 'Runs with it end well more often',
  harms: 'Runs with it end well less often',
  unclear: 'No clear difference',
  'too few runs': `Too few runs to compare (${LEAST_RUNS} of each)`,
} as const

function Ends({ usefulness: { shown, used, runs, others, difference, verdict } }: { usefulness: MemoryUsefulness }) {
  const points = (share: number) => `${share > 0 ? '+' : ''}${Math.round(share * 100)}`
  return (
    <Fields
      rows={[
        ['Shown and used', `${shown} and ${used}`],
        ['Ended well', `${runs.good} of ${runs.of}`],
        ['Without it', `${others.good} of ${others.of}, of the same project and role`],
        [
          'Difference',
          difference === null
            ? VERDICTS[verdict]
            : `${points(difference.value)} points (95 %: ${points(difference.low)} to ${points(difference.high)}). ${VERDICTS[verdict]}.`,
        ],
      ]}
    />
  )
}
