import { CATEGORIES, type Category, DEFAULT_CONFIDENCE, type Memory } from '../../../model/memory.ts'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

/** What somebody typed, as it was typed. */
export interface Draft {
  content: string
  category: Category
  service: string
  confidence: number
}

export function draftOf({ content, category, service, confidence }: Memory): Draft {
  return { content, category, service: service ?? '', confidence }
}

export const NEW_DRAFT: Draft = { content: '', category: 'behavior', service: '', confidence: DEFAULT_CONFIDENCE }

interface Problem {
  message: string
  /** What is stored now, where somebody else changed it meanwhile. */
  theirs?: string
}

function Fields({ draft, id }: { draft: Draft; id: string }) {
  const { content, category, service, confidence } = draft
  return (
    <>
      <label for={`${id}-content`}>
        Observation
        <textarea
          id={`${id}-content`}
          name="content"
          rows={Math.min(8, 2 + Math.floor(content.length / 90))}
          required
          data-focus
          data-observation
          dir="auto"
        >
          {content}
        </textarea>
      </label>
      <div class="line">
        <label for={`${id}-service`}>
          Service
          <input
            id={`${id}-service`}
            name="service"
            value={service}
            placeholder="general"
            autocomplete="off"
            maxlength={128}
          />
        </label>
        <label for={`${id}-category`}>
          Category
          <select id={`${id}-category`} name="category">
            {CATEGORIES.map((name) => (
              <option value={name} selected={name === category}>
                {name.replace('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <label class="slider" for={`${id}-confidence`}>
          Confidence
          <span>
            <input
              id={`${id}-confidence`}
              type="range"
              name="confidence"
              min="0"
              max="1"
              step="0.01"
              value={confidence}
            />
            <output>{confidence.toFixed(2)}</output>
          </span>
        </label>
      </div>
    </>
  )
}

function Failed({ problem }: { problem: Problem | null }) {
  if (problem === null) return null
  return (
    <div class="failed" role="alert">
      <p>{problem.message}</p>
      {problem.theirs === undefined ? null : (
        <p>
          It says now: “<Stored text={problem.theirs} />”
        </p>
      )}
    </div>
  )
}

interface EditProps {
  view: View
  memory: Memory
  draft: Draft
  problem?: Problem | null
}

/** In place of a row of the table, or above a memory’s own page. */
export function EditForm(props: EditProps) {
  return props.view.query('on') === 'page' ? (
    <div class="card">
      <Editor {...props} target="#edit" swap="innerHTML" cancel="/memories/new?close=1" />
    </div>
  ) : (
    <tr id={`m-${props.memory.id}`} class="editing" data-version="editing">
      <td colspan={9}>
        <Editor
          {...props}
          target="closest tr"
          swap="outerHTML"
          cancel={`/memories/${encodeURIComponent(props.memory.id)}/row`}
        />
      </td>
    </tr>
  )
}

function Editor(props: EditProps & { target: string; swap: string; cancel: string }) {
  const { view, memory, draft, problem = null, target, swap, cancel } = props
  const { id, version } = memory
  const path = href(view, `/memories/${encodeURIComponent(id)}`, { on: view.query('on') })
  return (
    <form
      class="form"
      aria-label="Edit the memory"
      data-edit
      data-unsaved={problem === null ? undefined : 'yes'}
      hx-post={path}
      hx-target={target}
      hx-swap={swap}
    >
      <Failed problem={problem} />
      <Fields draft={draft} id={id} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="confidenceBefore" value={memory.confidence} />
      <div class="actions">
        {memory.active ? null : <span class="soft">Inactive. A confidence of 0.30 or more brings it back.</span>}
        <button
          type="button"
          class="quiet"
          data-cancel
          hx-get={href(view, cancel.split('?')[0]!, cancel.includes('?') ? { close: '1' } : {})}
          hx-target={target}
          hx-swap={swap}
        >
          Cancel
        </button>
        <button type="submit" class="primary">
          Save
        </button>
      </div>
    </form>
  )
}

/** Above the table. */
export function NewForm({
  view,
  draft,
  problem = null,
}: {
  view: View
  draft: Draft & { project: string }
  problem?: Problem | null
}) {
  const { projectId } = view.access.caller.identifiers
  return (
    <form
      class="card form"
      aria-label="Add a memory"
      data-edit
      data-unsaved={problem === null ? undefined : 'yes'}
      hx-post={href(view, '/memories')}
      hx-target="#new"
    >
      <Failed problem={problem} />
      <Fields draft={draft} id="new" />
      <div class="line">
        <label for="new-project">
          Project
          <input
            id="new-project"
            name="projectId"
            required
            value={projectId ?? draft.project}
            readonly={projectId !== undefined}
            autocomplete="off"
          />
        </label>
        <div class="actions">
          <button type="button" class="quiet" data-cancel hx-get="/memories/new?close=1" hx-target="#new">
            Cancel
          </button>
          <button type="submit" class="primary">
            Add it
          </button>
        </div>
      </div>
    </form>
  )
}
