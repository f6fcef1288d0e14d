import { explainFlags } from '../../guard/explain-flags.ts'
import { LIMITS } from '../../model/limits.ts'
import { type Memory, REVIEW_TAG, whyPutUp } from '../../model/memory.ts'
import { countMemories } from './format.ts'
import { sendPage } from './layout.tsx'
import type { Page } from './pages.ts'
import { Empty, Pager } from './parts/blocks.tsx'
import { Category, Chip, MemoryLink, Owner, Service, Time } from './parts/memory-parts.tsx'
import { toast } from './toast.ts'
import { mayChange, pageAfter, sessionPath, type View } from './view.ts'

export const reviewPages: readonly Page[] = [
  {
    path: '/review',
    summary: 'What is held for review.',
    async handle(view) {
      const asked = { includeInactive: true, trust: ['quarantined' as const], ...pageAfter(view) }
      const held = await view.own.list(asked)
      const { nextCursor } = held
      const tagged = { includeInactive: true, tags: [REVIEW_TAG], limit: LIMITS.listLimit }
      // The list can include another program's rows that are not judged yet. Their state after judging counts.
      const marked = { includeInactive: true, trust: ['flagged' as const], limit: LIMITS.listLimit }
      const open = nextCursor === null ? [await view.own.list(tagged), await view.own.list(marked)] : []
      const shown = open.flatMap((page) => page.memories).filter(isOpen)
      const memories = [...new Map([...held.memories, ...shown].map((memory) => [memory.id, memory])).values()]
      const totalCount = held.totalCount + memories.length - held.memories.length
      return sendPage(view, {
        title: 'Review',
        held: held.totalCount,
        lead: 'The guard holds these back because they read like orders to an agent, not like observations. No agent is shown them until you accept them. The list also has memories that are shown as unverified, or that contradict an operator.',
        children: (
          <div id="results">
            {memories.length === 0 ? (
              <Empty
                icon="review"
                title="Nothing to review"
                text="When an agent records something that reads like an order, it is held here until a person decides."
              />
            ) : (
              <>
                <p class="summary">{countMemories(totalCount)} awaiting review</p>
                <div class="card">
                  <ol class="entries" data-rows>
                    {memories.map((memory) => (
                      <Held view={view} memory={memory} />
                    ))}
                  </ol>
                </div>
              </>
            )}
            <Pager view={view} path="/review" next={nextCursor} />
          </div>
        ),
      })
    },
  },
  decisionPage('accept', 'Accepts a memory that is held back.', 'Accepted: agents are shown it.'),
  decisionPage('reject', 'Rejects a memory that is held back.', 'Rejected.'),
]

/** Leaves out memories that need no decision, or are decided elsewhere. */
function isOpen({ trust, tags, active }: Memory): boolean {
  return trust === 'quarantined' || tags.includes(REVIEW_TAG) || (trust === 'flagged' && active)
}

function decisionPage(decision: 'accept' | 'reject', summary: string, done: string): Page {
  return {
    path: `POST /review/:id/${decision}`,
    needs: 'write',
    summary,
    async handle(view) {
      const id = view.param('id')
      await reviewer(view).review(id, decision)
      return view.context.body(null, 200, toast(done, { undo: decision === 'reject' ? [id] : [] }))
    },
  }
}

/** A reviewer is never an agent, not even one that sees what all agents recorded. */
function reviewer({ access }: View) {
  const { projectId } = access.caller.identifiers
  return projectId === undefined ? access.byId() : access.memory()
}

function Held({ view, memory }: { view: View; memory: Memory }) {
  const path = `/review/${encodeURIComponent(memory.id)}`
  const post = (decision: string) => ({
    'hx-post': `${path}/${decision}`,
    'hx-target': 'closest li',
    'hx-swap': 'delete',
  })
  return (
    <li class="result" id={`r-${memory.id}`} tabindex={-1}>
      <div>
        <MemoryLink view={view} memory={memory} />
        <div class="about">
          <Service name={memory.service} />
          <Category name={memory.category} />
          {memory.session === null ? null : <a href={sessionPath(view, memory.session)}>view run</a>}
          <Owner view={view} memory={memory} />
          <Time at={memory.createdAt} />
        </div>
        <div class="about">
          <Chip
            text={memory.trust === 'quarantined' ? 'held' : 'shown'}
            kind={memory.trust === 'quarantined' ? 'bad' : ''}
          />
          {[...explainFlags(flagsOf(memory)), ...whyPutUp(memory)].map((reason) => (
            <Chip text={reason} kind="warn" />
          ))}
        </div>
      </div>
      {mayChange(view, memory) ? (
        <div class="actions">
          <button type="button" data-key="y" {...post('accept')}>
            Accept
          </button>
          <button type="button" class="danger" data-key="d" {...post('reject')}>
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
