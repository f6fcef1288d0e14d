import type { Link } from '../../../model/memory.ts'
import { notThere } from '../../rest/answers.ts'
import type { Route, ServerParts } from '../../route.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { Category, Confidence, Service, State, Time } from '../parts/memory-parts.tsx'
import { Outcome } from '../parts/outcome.tsx'
import { Passage } from '../parts/passage.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, mayChange, type View } from '../view.ts'
import { Facts } from './facts.tsx'
import { History } from './history.tsx'
import { type MemoryDetail, readMemory } from './read-memory.ts'

/** One memory with everything that is known of it. */
export function memoryPageRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/memories/:id',
      summary: 'One memory: its history, where it came from, and which runs saw it.',
      async handle(view) {
        const id = view.context.req.param('id')!
        const detail = await readMemory(view, id)
        if (!detail) throw notThere(`memory with the id ${id}`, { id })
        return sendPage(view, {
          title: 'A memory',
          current: '/memories',
          children: <MemoryPage view={view} detail={detail} />,
        })
      },
    }),
  ]
}

function MemoryPage({ view, detail }: { view: View; detail: MemoryDetail }) {
  const { memory, isDeleted } = detail
  return (
    <>
      <p class="crumbs">
        <a href={href(view, '/memories')}>Memories</a>
      </p>
      <div class="heading">
        <h1>{isDeleted ? 'A deleted memory' : 'A memory'}</h1>
        <Actions view={view} detail={detail} />
      </div>
      <div id="edit" />
      <div id="results">
        <div class="columns wide-left">
          <div class="stack">
            <section class={isDeleted ? 'card faded' : 'card'}>
              <Passage class="lone" length={memory.content.length}>
                <Stored text={memory.content} />
              </Passage>
              <div class="about">
                <Category name={memory.category} />
                <Service name={memory.service} />
                <Confidence value={memory.confidence} active={memory.active} />
                {isDeleted ? <span class="chip bad">deleted</span> : <State memory={memory} now={view.now} />}
              </div>
            </section>
            <Related view={view} links={detail.links} />
            <section class="card">
              <h2>History</h2>
              <History changes={detail.changes} now={view.now} />
            </section>
          </div>
          <div class="stack">
            <Facts view={view} memory={memory} />
            <Runs view={view} detail={detail} />
          </div>
        </div>
      </div>
    </>
  )
}

function Actions({ view, detail: { memory, isDeleted } }: { view: View; detail: MemoryDetail }) {
  if (!mayChange(view, memory)) return null
  const path = `/memories/${encodeURIComponent(memory.id)}`
  if (isDeleted) {
    return (
      <button type="button" hx-post="/memories/restore" hx-vals={JSON.stringify({ id: memory.id })} hx-swap="none">
        Bring it back
      </button>
    )
  }
  return (
    <>
      <button type="button" data-key="edit" hx-get={href(view, `${path}/edit`, { on: 'page' })} hx-target="#edit">
        Edit
      </button>
      <button
        type="button"
        class="danger"
        data-key="d"
        hx-post={`${path}/delete`}
        hx-swap="none"
        hx-confirm="This memory is deleted. You can undo it."
      >
        Delete
      </button>
    </>
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
    <section class="card">
      <h2>What it stands against and beside</h2>
      <ul class="entries">
        {links.map(({ relation, id, memory }) => (
          <li class={memory?.active ? undefined : 'faded'}>
            <span class={relation.startsWith('contra') ? 'chip warn' : 'chip'}>{RELATIONS[relation]}</span>{' '}
            {memory === null ? (
              <span class="soft">a memory that is gone</span>
            ) : (
              <>
                <a href={href(view, `/memories/${encodeURIComponent(id)}`)}>
                  <Stored text={memory.content} />
                </a>
                <div class="about">
                  <Confidence value={memory.confidence} active={memory.active} />{' '}
                  <State memory={memory} now={view.now} />
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Runs({ view, detail: { memory, runs, furtherRuns } }: { view: View; detail: MemoryDetail }) {
  return (
    <section class="card">
      <h2>Runs that saw it</h2>
      {runs.length === 0 ? (
        <p class="soft">No run has been shown it yet.</p>
      ) : (
        <ul class="entries">
          {runs.map(({ at, id, session }) => (
            <li>
              <a href={href(view, `/sessions/${encodeURIComponent(id)}`)}>
                <Stored text={session?.agent ?? id} />
              </a>
              <div class="about">
                <Outcome session={session} /> <Time at={at} now={view.now} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {furtherRuns > 0 ? (
        <p class="more soft">
          and {furtherRuns} earlier; recalled {memory.recallCount} times in all
        </p>
      ) : null}
    </section>
  )
}
