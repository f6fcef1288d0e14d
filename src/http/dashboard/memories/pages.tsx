import { notFound } from '../../../engine/write.ts'
import type { Category } from '../../../model/categories.ts'
import { MemoryError } from '../../../model/errors.ts'
import type { Memory } from '../../../model/memory.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { projectsOf } from '../projects.ts'
import { standingsOf } from '../standings.ts'
import { tallyOf } from '../tally.ts'
import { describeAdded, describeSaved, toast } from '../toast.ts'
import { byId, href, type View } from '../view.ts'
import { readFilters } from './filters.ts'
import { type Draft, draftOf, EditForm, NEW_DRAFT, NewForm } from './form.tsx'
import { MemoriesPage } from './list-page.tsx'
import { readList } from './read-list.ts'
import { MemoryRow } from './row.tsx'

export const memoryPages: readonly Page[] = [
  {
    path: '/memories',
    summary: 'The memories.',
    async handle(view) {
      const filters = readFilters(view)
      const [listed, tally] = await Promise.all([readList(view, filters), tallyOf(view)])
      return sendPage(view, {
        title: 'Memories',
        held: tally.held,
        actions: view.access.may('write') ? (
          <button type="button" class="primary" data-key="n" hx-get={href(view, '/memories/new')} hx-target="#new">
            Add a memory
          </button>
        ) : null,
        children: <MemoriesPage view={view} filters={filters} tally={tally} {...listed} />,
      })
    },
  },
  {
    path: '/memories/new',
    needs: 'write',
    summary: 'The form to add a memory.',
    async handle(view) {
      if (view.query('close')) return view.context.html('')
      const project = view.project ?? view.parts.project ?? ''
      const draft = { ...NEW_DRAFT, service: view.query('service') ?? '', project }
      return view.context.html(<NewForm view={view} draft={draft} projects={await namesOf(view)} />)
    },
  },
  {
    path: 'POST /memories',
    needs: 'write',
    summary: 'Adds a memory to a project.',
    async handle(view) {
      const { draft, project } = await readDraft(view)
      try {
        const added = await view.access
          .memory({ identifiers: { projectId: project } })
          .add({ layer: 'project', tier: 0, source: 'manual', ...toFields(draft), confidence: draft.confidence })
        const { text, bad } = describeAdded(added, draft.confidence)
        return view.context.html('', 200, toast(text, { bad }))
      } catch (error) {
        if (!isOwnFault(error)) throw error
        const problem = { message: error.message }
        const form = (
          <NewForm view={view} draft={{ ...draft, project }} projects={await namesOf(view)} problem={problem} />
        )
        return view.context.html(form, 422)
      }
    },
  },
  {
    path: '/memories/:id/edit',
    needs: 'write',
    summary: 'A row of the table as a form.',
    async handle(view) {
      const memory = await theMemory(view)
      return view.context.html(<EditForm view={view} memory={memory} draft={draftOf(memory)} />)
    },
  },
  {
    path: '/memories/:id/row',
    summary: 'A row of the table.',
    handle: async (view) => view.context.html(await rowOf(view, await theMemory(view))),
  },
  { path: 'POST /memories/:id', needs: 'write', summary: 'Changes a memory.', handle: saveMemory },
]

async function saveMemory(view: View): Promise<Response> {
  const { draft, version, confidenceBefore } = await readDraft(view)
  const memory = await theMemory(view)
  // If the slider was not moved, confidence and active state do not change.
  const confidence: { confidence?: number } =
    draft.confidence === confidenceBefore ? {} : { confidence: draft.confidence }
  try {
    const saved = await byId(view).update(memory.id, { ...toFields(draft), ...confidence, version })
    const { text, bad } = describeSaved('Saved', saved.memory, confidence.confidence ?? memory.confidence)
    if (view.query('on') === 'page') return view.context.html('', 200, toast(text, { bad }))
    return view.context.html(await rowOf(view, saved.memory), 200, toast(text, { bad, refresh: false }))
  } catch (error) {
    if (!isOwnFault(error)) throw error
    const problem =
      error.code === 'CONFLICT'
        ? { message: 'Somebody else has changed it. Saving again overwrites their text.', theirs: memory.content }
        : { message: error.message }
    return view.context.html(<EditForm view={view} memory={memory} draft={draft} problem={problem} />, 422)
  }
}

async function namesOf(view: View): Promise<string[]> {
  return ((await projectsOf(view))?.projects ?? []).map(({ project }) => project)
}

async function rowOf(view: View, memory: Memory) {
  return <MemoryRow view={view} memory={memory} standing={(await standingsOf(view, [memory])).get(memory.id)} />
}

async function theMemory(view: View) {
  const id = view.param('id')
  const memory = await byId(view).get(id)
  if (!memory) throw notFound(id)
  return memory
}

async function readDraft(view: View) {
  const field = await view.readForm()
  const draft: Draft = {
    content: field('content'),
    // The engine reports an id that does not exist.
    category: field('category') as Category,
    service: field('service').trim(),
    confidence: Number(field('confidence')),
  }
  const version = Number(field('version')) || undefined
  return { draft, version, confidenceBefore: Number(field('confidenceBefore')), project: field('projectId').trim() }
}

function toFields({ content, category, service }: Draft) {
  return { content: content.trim(), category, service: service === '' || service === 'general' ? null : service }
}

function isOwnFault(error: unknown): error is MemoryError {
  const codes = ['INVALID_INPUT', 'CONTENT_TOO_LONG', 'MISSING_IDENTIFIER', 'CONFLICT']
  return MemoryError.is(error) && codes.includes(error.code)
}
