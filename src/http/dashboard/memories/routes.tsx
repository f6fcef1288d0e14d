import { MemoryError } from '../../../model/errors.ts'
import type { Category } from '../../../model/memory.ts'
import { notThere } from '../../rest/answers.ts'
import type { Route, ServerParts } from '../../route.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { tallyOf } from '../tally.ts'
import { byId, type View } from '../view.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { readFilters, toRequest } from './filters.ts'
import { type Draft, draftOf, EditForm, NEW_DRAFT, NewForm } from './form.tsx'
import { MemoriesPage } from './list-page.tsx'
import { memoryPageRoutes } from './memory-page.tsx'
import { MemoryRow } from './row.tsx'
import { fate, told } from './told.ts'

/** The table of memories, and what can be done in it. */
export function memoryRoutes(parts: ServerParts): Route[] {
  return [
    // Before the routes of one memory, which would take their names for ids.
    ...bulkRoutes(parts),
    pageRoute(parts, {
      path: '/memories',
      summary: 'The memories.',
      async handle(view) {
        const filters = readFilters(view)
        const [found, tally] = await Promise.all([view.own.list(toRequest(filters)), tallyOf(view)])
        return sendPage(view, {
          title: 'Memories',
          current: '/memories',
          held: tally.held,
          children: <MemoriesPage view={view} filters={filters} found={found} tally={tally} />,
        })
      },
    }),
    pageRoute(parts, {
      path: '/memories/new',
      needs: 'write',
      summary: 'The form to add a memory.',
      handle(view) {
        if (view.query('close')) return view.context.html('')
        const draft = {
          ...NEW_DRAFT,
          service: view.query('service') ?? '',
          project: view.project ?? parts.project ?? '',
        }
        return view.context.html(<NewForm view={view} draft={draft} />)
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/memories',
      needs: 'write',
      summary: 'Adds a memory to a project.',
      async handle(view) {
        const { draft, project } = await readDraft(view)
        try {
          const added = await view.access.memory({ identifiers: { projectId: project } }).add({
            layer: 'project',
            tier: 0,
            source: 'manual',
            ...toFields(draft),
            confidence: draft.confidence,
          })
          const { text, bad } = fate('Added', added.memory, draft.confidence)
          return view.context.html('', 200, told(text, { bad }))
        } catch (error) {
          if (!isOwnFault(error)) throw error
          const problem = { message: error.message }
          return view.context.html(<NewForm view={view} draft={{ ...draft, project }} problem={problem} />, 422)
        }
      },
    }),
    pageRoute(parts, {
      path: '/memories/:id/edit',
      needs: 'write',
      summary: 'A row of the table as a form.',
      async handle(view) {
        const memory = await theMemory(view)
        return view.context.html(<EditForm view={view} memory={memory} draft={draftOf(memory)} />)
      },
    }),
    pageRoute(parts, {
      path: '/memories/:id/row',
      summary: 'A row of the table.',
      handle: async (view) => view.context.html(<MemoryRow view={view} memory={await theMemory(view)} />),
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/memories/:id',
      needs: 'write',
      summary: 'Changes a memory.',
      handle: saveMemory,
    }),
    ...memoryPageRoutes(parts),
  ]
}

async function saveMemory(view: View): Promise<Response> {
  const { draft, version, confidenceBefore } = await readDraft(view)
  const memory = await theMemory(view)
  // A slider that was not moved says nothing: the confidence stays as it is, and so does whether the memory is active.
  const confidence: { confidence?: number } =
    draft.confidence === confidenceBefore ? {} : { confidence: draft.confidence }
  try {
    const saved = await byId(view).update(memory.id, { ...toFields(draft), ...confidence, version })
    const { text, bad } = fate('Saved', saved.memory, confidence.confidence ?? memory.confidence)
    if (view.query('on') === 'page') return view.context.html('', 200, told(text, { bad }))
    // It was stored after the request came, and is not of the future.
    view.now = new Date()
    const row = <MemoryRow view={view} memory={saved.memory} />
    return view.context.html(row, 200, told(text, { bad, refresh: false }))
  } catch (error) {
    if (!isOwnFault(error)) throw error
    const changed = error.code === 'CONFLICT'
    const problem = changed
      ? {
          message: 'Somebody changed it meanwhile. Saving again puts your words in place of theirs.',
          theirs: memory.content,
        }
      : { message: error.message }
    return view.context.html(<EditForm view={view} memory={memory} draft={draft} problem={problem} />, 422)
  }
}

async function theMemory(view: View) {
  const id = view.context.req.param('id')!
  const memory = await byId(view).get(id)
  if (!memory) throw notThere(`memory with the id ${id}`, { id })
  return memory
}

async function readDraft({ context }: View) {
  const form = await context.req.parseBody()
  const field = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  const draft: Draft = {
    content: field('content'),
    // The engine says what is wrong with one that does not exist.
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

/** What whoever typed it can mend. */
function isOwnFault(error: unknown): error is MemoryError {
  const codes = ['INVALID_INPUT', 'CONTENT_TOO_LONG', 'MISSING_IDENTIFIER', 'CONFLICT']
  return MemoryError.is(error) && codes.includes(error.code)
}
