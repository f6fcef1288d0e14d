import type { MemoryUsefulness } from '../../../engine/usefulness.ts'
import { notFound } from '../../../engine/write.ts'
import { LEAST_RUNS } from '../../../lifecycle/usefulness.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Card, Entries, Fields } from '../parts/blocks.tsx'
import { Category, Chip, Confidence, MemoryLink, Owner, Service, State, Time } from '../parts/memory-parts.tsx'
import { Menu } from '../parts/menu.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Passage, Stored } from '../parts/stored.tsx'
import { mayChange, memoryPath, sessionPath, type View } from '../view.ts'
import { BeliefCard } from './belief.tsx'
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
      heading: null,
      actions: mayChange(view, detail.memory) ? <Actions view={view} detail={detail} /> : null,
      children: (
        <>
          <div id="edit" />
          <div id="results">
            <Observation view={view} detail={detail} />
            <div class="columns wide-left">
              <div class="stack">
                <BeliefCard view={view} detail={detail} />
                <DecisionsCard view={view} detail={detail} />
                <Related view={view} links={detail.links} />
                <Card title="History">
                  <History view={view} changes={detail.changes} />
                </Card>
              </div>
              <div class="stack">
                <Facts view={view} memory={detail.memory} author={detail.author} />
                <Runs view={view} detail={detail} />
              </div>
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
      <Menu id="actions" label="More actions">
        {memory.trust === 'quarantined' ? null : (
          <button
            type="button"
            autofocus
            hx-post="/memories/bulk"
            hx-vals={JSON.stringify({ action: memory.active ? 'deactivate' : 'raise', id: memory.id })}
            hx-swap="none"
          >
            {memory.active ? 'Deactivate' : 'Reactivate'}
          </button>
        )}
        <button
          type="button"
          class="danger"
          data-key="d"
          hx-post={`/memories/${encodeURIComponent(memory.id)}/delete`}
          hx-swap="none"
          hx-confirm="This memory will be deleted. You can undo it."
        >
          Delete…
        </button>
      </Menu>
    </>
  )
}

/** Longer observations are not used as headings. */
const MOST_IN_HEADING = 300

function Observation({ view, detail: { memory, isDeleted, standing } }: { view: View; detail: MemoryDetail }) {
  const { content } = memory
  return (
    <section class={isDeleted ? 'observed faded' : 'observed'}>
      {content.length <= MOST_IN_HEADING ? (
        <h1 class="lone">
          <Stored text={content} />
        </h1>
      ) : (
        <>
          <h1 class="hidden-label">{quote(content)}</h1>
          <Passage class="lone" length={content.length}>
            <Stored text={content} />
          </Passage>
        </>
      )}
      <div class="about">
        <Service name={memory.service} />
        <Category name={memory.category} />
        <Owner view={view} memory={memory} />
        <Confidence value={memory.confidence} active={memory.active} />
        {isDeleted ? <Chip text="deleted" kind="bad" /> : <State memory={memory} standing={standing} />}
      </div>
    </section>
  )
}

/** Contradicting memories are listed under belief. */
function Related({ view, links }: { view: View; links: MemoryDetail['links'] }) {
  const alike = links.filter(({ relation }) => relation === 'confirms' || relation === 'confirmedBy')
  if (alike.length === 0) return null
  return (
    <Card title="Says the same">
      <ul class="entries">
        {alike.map(({ memory }) => (
          <li class={memory?.active ? undefined : 'faded'}>
            {memory === null ? (
              <span class="soft">a deleted memory</span>
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
            <div class="about first">
              <a href={sessionPath(view, id)}>
                <Stored text={session?.agent ?? id} />
              </a>
              <Outcome session={session} />
              <Time at={at} />
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
  helps: 'Runs that were shown it succeed more often',
  harms: 'Runs that were shown it succeed less often',
  unclear: 'No clear difference',
  'too few runs': `Too few runs to compare (${LEAST_RUNS} of each)`,
} as const

function Ends({ usefulness: { shown, used, runs, others, difference, verdict } }: { usefulness: MemoryUsefulness }) {
  const points = (share: number) => `${share > 0 ? '+' : ''}${Math.round(share * 100)}`
  return (
    <Fields
      rows={[
        ['Shown and used', `${shown} and ${used}`],
        ['Succeeded', `${runs.good} of ${runs.of}`],
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
