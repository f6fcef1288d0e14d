import { isRetracted } from '../../../lifecycle/decisions.ts'
import type { Decided, DecisionKind } from '../../../model/decision.ts'
import { DECISION_WORDS } from '../../../model/tell-decision.ts'
import type { Page } from '../pages.ts'
import { Card } from '../parts/blocks.tsx'
import { By, Chip, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { toast } from '../toast.ts'
import { byId, mayChange, memoryPath, type View } from '../view.ts'
import type { MemoryDetail } from './read-memory.ts'

export const decisionPages: readonly Page[] = [
  {
    path: 'POST /memories/:id/undo',
    needs: 'admin',
    summary: 'Undoes the last decision about a memory.',
    async handle(view) {
      const { memory } = await byId(view).undo(view.param('id'))
      return view.context.body(null, 204, toast(`Undone. Its confidence is ${memory.confidence.toFixed(2)}.`))
    },
  },
  {
    path: 'POST /memories/:id/retract',
    needs: 'admin',
    summary: 'Withdraws a memory that was wrong all along.',
    async handle(view) {
      const field = await view.readForm()
      const { runs, review } = await byId(view).retract(view.param('id'), { why: field('why').trim() })
      const running = runs.filter((run) => run.running).length
      const rests = review.length === 0 ? '' : ` Put up for review: ${review.length}.`
      const text = `Retracted. Runs that saw it: ${runs.length}; still running, and told: ${running}.${rests}`
      return view.context.body(null, 204, toast(text))
    },
  },
]

const LOSING: readonly DecisionKind[] = ['contradicted', 'corrected', 'retracted', 'review']

export function DecisionsCard({ view, detail }: { view: View; detail: MemoryDetail }) {
  const { memory, isDeleted, decided } = detail
  const { decisions, hiddenBy, disputed } = decided
  const mayDecide = view.access.may('admin') && mayChange(view, memory) && !isDeleted
  const last = decisions.findLast(({ kind, undone }) => kind !== 'undone' && !undone)
  if (decisions.length === 0 && !mayDecide) return null
  return (
    <Card title="Decisions">
      {hiddenBy === null ? null : (
        <p class="standing">
          Hidden from agents by{' '}
          <a href={memoryPath(view, hiddenBy.id)}>
            <Stored text={hiddenBy.content} />
          </a>
          , which has clearly more evidence.
        </p>
      )}
      {disputed === null ? null : (
        <p class="standing">
          Shown as <Stored text={disputed} />.
        </p>
      )}
      {decisions.length === 0 ? (
        <p class="soft">Nothing has repeated or contradicted it yet.</p>
      ) : (
        <ol class="entries decisions">
          {decisions.toReversed().map((each) => (
            <li class={each.undone ? 'faded' : undefined}>
              <Row view={view} decision={each} />
              {mayDecide && each === last ? <UndoButton id={memory.id} /> : null}
            </li>
          ))}
        </ol>
      )}
      {mayDecide && !isRetracted(memory) ? <RetractForm id={memory.id} /> : null}
    </Card>
  )
}

function Row({ view, decision }: { view: View; decision: Decided }) {
  const { kind, other, from, to, reason, score, at, by, undone } = decision
  return (
    <div>
      <Chip text={DECISION_WORDS[kind]} kind={LOSING.includes(kind) ? 'warn' : ''} />{' '}
      {other === null ? null : other.content === null ? (
        <span class="soft">a deleted memory</span>
      ) : other.id === null ? (
        <Stored text={`“${other.content}”`} />
      ) : (
        <a href={memoryPath(view, other.id)}>
          <Stored text={other.content} />
        </a>
      )}
      <div class="about">
        {from === to ? null : <b>{`${from.toFixed(2)} → ${to.toFixed(2)}`}</b>}
        <Stored text={reason} />
        {score === null ? null : <span>score {score.toFixed(2)}</span>}
        <span>
          by <By view={view} name={by} />
        </span>
        <Time at={at} />
        {undone ? <Chip text="undone" /> : null}
      </div>
    </div>
  )
}

function UndoButton({ id }: { id: string }) {
  return (
    <button type="button" hx-post={`/memories/${encodeURIComponent(id)}/undo`} hx-swap="none">
      Undo
    </button>
  )
}

function RetractForm({ id }: { id: string }) {
  return (
    <details class="retract">
      <summary>Retract: it was wrong all along</summary>
      <form class="form" hx-post={`/memories/${encodeURIComponent(id)}/retract`} hx-swap="none">
        <p class="soft">
          No agent sees it again. Running sessions that were shown it are told, and what depends on it goes to review.
        </p>
        <label>
          Why it was wrong
          <input name="why" required maxlength={512} autocomplete="off" />
        </label>
        <div class="actions">
          <button type="submit" class="danger">
            Retract
          </button>
        </div>
      </form>
    </details>
  )
}
