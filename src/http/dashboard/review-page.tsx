import { explainFlags } from '../../guard/explain-flags.ts'
import type { Memory } from '../../model/memory.ts'
import type { Route, ServerParts } from '../route.ts'
import { countOf } from './format.ts'
import { sendPage } from './layout.tsx'
import { told } from './memories/told.ts'
import { pageRoute } from './page-route.ts'
import { Empty } from './parts/empty.tsx'
import { Category, Service, Time } from './parts/memory-parts.tsx'
import { NextPage } from './parts/next-page.tsx'
import { Owner } from './parts/owner.tsx'
import { Stored } from './parts/stored.tsx'
import { href, mayChange, type View } from './view.ts'

const ROWS = 50

/** What the guard holds back until a person decides. */
export function reviewRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/review',
      summary: 'What is held for review.',
      async handle(view) {
        const cursor = view.query('after')
        const found = await view.own.list({
          limit: ROWS,
          includeInactive: true,
          trust: ['quarantined'],
          ...(cursor === undefined ? {} : { cursor }),
        })
        return sendPage(view, {
          title: 'Review',
          current: '/review',
          held: found.totalCount,
          children: (
            <>
              <div class="heading">
                <h1>Review</h1>
              </div>
              <p class="lead">
                The guard holds these back: they read like orders to an agent, not like observations. No agent is shown
                them until you accept them.
              </p>
              <div id="results">
                {found.memories.length === 0 ? (
                  <Nothing />
                ) : (
                  <>
                    <p class="summary">{countOf(found.totalCount, 'memory waits', 'memories wait')}</p>
                    <div class="card">
                      <ol class="entries" data-rows>
                        {found.memories.map((memory) => (
                          <Held view={view} memory={memory} />
                        ))}
                      </ol>
                    </div>
                  </>
                )}
                <NextPage view={view} path="/review" next={found.nextCursor} />
              </div>
            </>
          ),
        })
      },
    }),
    ...(['accept', 'reject'] as const).map((decision) =>
      pageRoute(parts, {
        method: 'POST',
        path: `/review/:id/${decision}`,
        needs: 'write',
        summary: decision === 'accept' ? 'Accepts a memory that is held back.' : 'Rejects a memory that is held back.',
        async handle(view) {
          const id = view.context.req.param('id')!
          await reviewer(view).review(id, decision)
          const text = decision === 'accept' ? 'Accepted: agents are shown it.' : 'Rejected.'
          return view.context.body(null, 200, told(text, { undo: decision === 'reject' ? [id] : [] }))
        },
      }),
    ),
  ]
}

/** Somebody who decides is no agent: not even one that looks over all agents’ shoulders. */
function reviewer({ access }: View) {
  const { projectId } = access.caller.identifiers
  return projectId === undefined ? access.byId() : access.memory()
}

function Held({ view, memory }: { view: View; memory: Memory }) {
  const path = `/review/${encodeURIComponent(memory.id)}`
  return (
    <li class="result" id={`r-${memory.id}`} tabindex={-1}>
      <div>
        <a data-key="open" href={href(view, `/memories/${encodeURIComponent(memory.id)}`)}>
          <Stored text={memory.content} />
        </a>
        <div class="about">
          <Category name={memory.category} />
          <Service name={memory.service} />
          {memory.session === null ? null : (
            <a href={href(view, `/sessions/${encodeURIComponent(memory.session)}`)}>its run</a>
          )}
          <Owner view={view} memory={memory} />
          <Time at={memory.createdAt} now={view.now} />
        </div>
        <div class="about">
          {explainFlags(flagsOf(memory)).map((reason) => (
            <span class="chip warn">
              <Stored text={reason} />
            </span>
          ))}
        </div>
      </div>
      {mayChange(view, memory) ? (
        <div class="actions end">
          <button type="button" data-key="y" hx-post={`${path}/accept`} hx-target="closest li" hx-swap="delete">
            Accept
          </button>
          <button
            type="button"
            class="danger"
            data-key="d"
            hx-post={`${path}/reject`}
            hx-target="closest li"
            hx-swap="delete"
          >
            Reject
          </button>
        </div>
      ) : null}
    </li>
  )
}

function flagsOf({ metadata: { flags } }: Memory): string[] {
  return Array.isArray(flags) ? flags.filter((flag) => typeof flag === 'string') : []
}

function Nothing() {
  return (
    <div class="sheet">
      <Empty icon="review" title="Nothing waits for you">
        <p>When an agent leaves something that reads like an order, it is held here until a person decides.</p>
      </Empty>
    </div>
  )
}
