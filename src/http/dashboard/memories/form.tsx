import type { PropsWithChildren } from 'hono/jsx'
import { CATEGORIES, type Category } from '../../../model/categories.ts'
import { ACTIVE_CONFIDENCE, DEFAULT_CONFIDENCE, type Memory } from '../../../model/memory.ts'
import { Stored } from '../parts/stored.tsx'
import { href, memoryPath, type View } from '../view.ts'

/** Field values as the user typed them. */
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
  /** What is stored now, if somebody else changed it in the meantime. */
  theirs?: string
}

interface FormProps {
  draft: Draft
  problem: Problem | null
  label: string
  submit: string
  note?: string | null
  /** Where the form is sent, and which element the response replaces. */
  post: string
  cancel: string
  place: { 'hx-target': string; 'hx-swap'?: string }
}

function MemoryForm(props: PropsWithChildren<FormProps>) {
  const { draft, problem, label, submit, note = null, post, cancel, place, children } = props
  const { content, category, service, confidence } = draft
  const unsaved = problem === null ? undefined : 'yes'
  return (
    <form class="form" aria-label={label} data-edit data-unsaved={unsaved} hx-post={post} {...place}>
      {problem === null ? null : <Failed problem={problem} />}
      <label>
        Observation
        <textarea
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
        <label>
          Service
          <input name="service" value={service} placeholder="general" autocomplete="off" maxlength={128} />
        </label>
        <label>
          Category
          <select name="category">
            {CATEGORIES.map((name) => (
              <option value={name} selected={name === category}>
                {name.replace('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <label class="slider">
          Confidence
          <span>
            <input type="range" name="confidence" min="0" max="1" step="0.01" value={confidence} />
            <output>{confidence.toFixed(2)}</output>
          </span>
        </label>
        {children}
      </div>
      <div class="actions">
        {note === null ? null : <span class="soft">{note}</span>}
        <button type="button" class="quiet" data-cancel hx-get={cancel} {...place}>
          Cancel
        </button>
        <button type="submit" class="primary">
          {submit}
        </button>
      </div>
    </form>
  )
}

function Failed({ problem: { message, theirs } }: { problem: Problem }) {
  return (
    <div class="failed" role="alert">
      <p>{message}</p>
      {theirs === undefined ? null : (
        <p>
          It now says: “<Stored text={theirs} />”
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

export function EditForm({ view, memory, draft, problem = null }: EditProps) {
  const { id, version, confidence, active } = memory
  const isOnPage = view.query('on') === 'page'
  const form = (
    <MemoryForm
      draft={draft}
      problem={problem}
      label="Edit the memory"
      submit="Save"
      note={active ? null : `Inactive. A confidence of ${ACTIVE_CONFIDENCE.toFixed(2)} or more reactivates it.`}
      post={memoryPath(view, id, '', { on: view.query('on') })}
      cancel={isOnPage ? href(view, '/memories/new', { close: '1' }) : memoryPath(view, id, '/row')}
      place={
        isOnPage
          ? { 'hx-target': '#edit', 'hx-swap': 'innerHTML' }
          : { 'hx-target': 'closest tr', 'hx-swap': 'outerHTML' }
      }
    >
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="confidenceBefore" value={confidence} />
    </MemoryForm>
  )
  if (isOnPage) return <div class="card">{form}</div>
  return (
    <tr id={`m-${id}`} class="editing" data-version="editing">
      <td colspan={6}>{form}</td>
    </tr>
  )
}

interface NewProps {
  view: View
  draft: Draft & { project: string }
  /** Suggestions; other values can be typed. */
  projects: readonly string[]
  problem?: Problem | null
}

export function NewForm({ view, draft, projects, problem = null }: NewProps) {
  const { projectId } = view.access.caller.identifiers
  return (
    <div class="card">
      <MemoryForm
        draft={draft}
        problem={problem}
        label="Add a memory"
        submit="Add"
        post={href(view, '/memories')}
        cancel="/memories/new?close=1"
        place={{ 'hx-target': '#new' }}
      >
        <label>
          Project
          <input
            name="projectId"
            required
            value={projectId ?? draft.project}
            readonly={projectId !== undefined}
            list="projects"
            autocomplete="off"
          />
          <datalist id="projects">
            {projects.map((name) => (
              <option value={name} />
            ))}
          </datalist>
        </label>
      </MemoryForm>
    </div>
  )
}
