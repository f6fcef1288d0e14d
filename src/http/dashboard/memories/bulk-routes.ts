import { MemoryError } from '../../../model/errors.ts'
import { LIMITS } from '../../../model/limits.ts'
import { DEFAULT_CONFIDENCE } from '../../../model/memory.ts'
import type { Route, ServerParts } from '../../route.ts'
import { countOf } from '../format.ts'
import { pageRoute } from '../page-route.ts'
import { byId, type View } from '../view.ts'
import { told } from './told.ts'

const some = (count: number) => countOf(count, 'memory', 'memories')

type Change = (view: View, ids: readonly string[]) => Promise<{ done: string[]; text: string; undo?: true }>

const ACTIONS: Record<string, Change> = {
  async delete(view, ids) {
    const { failed } = await byId(view).bulkDelete(ids)
    const done = ids.filter((id) => !failed.includes(id))
    return { done, text: `${some(done.length)} deleted.`, undo: true }
  },
  async deactivate(view, ids) {
    const done = await each(ids, (id) => byId(view).update(id, { active: false }))
    return { done, text: `${some(done.length)} deactivated.` }
  },
  async raise(view, ids) {
    const done = await each(ids, async (id) => {
      const memory = await byId(view).get(id)
      await byId(view).update(id, { confidence: Math.max(memory?.confidence ?? 0, DEFAULT_CONFIDENCE) })
    })
    return { done, text: `${some(done.length)} brought back.` }
  },
}

/** What is done with one row or with all that are chosen; and bringing deleted ones back. */
export function bulkRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      method: 'POST',
      path: '/memories/:id/delete',
      needs: 'write',
      summary: 'Deletes a memory; it can be brought back.',
      async handle(view) {
        const id = view.context.req.param('id')!
        await byId(view).delete(id)
        return view.context.body(null, 200, told('Deleted.', [id]))
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/memories/bulk',
      needs: 'write',
      summary: 'Deletes, deactivates or brings back all memories that are chosen.',
      async handle(view) {
        const { ids, action } = await readChoice(view)
        const change = ACTIONS[action]
        if (!change) throw new MemoryError('INVALID_INPUT', 'Invalid action.', { details: { field: 'action' } })
        const { done, text, undo } = await change(view, ids)
        return view.context.body(null, 204, told(text, undo ? done : []))
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/memories/restore',
      needs: 'write',
      summary: 'Brings deleted memories back.',
      async handle(view) {
        const { ids } = await readChoice(view)
        const done = await each(ids, (id) => byId(view).restore(id))
        return view.context.body(null, 204, told(`${some(done.length)} brought back.`))
      },
    }),
  ]
}

/** One after the other; one that is gone or was changed meanwhile does not stop the others. */
async function each(ids: readonly string[], change: (id: string) => Promise<unknown>): Promise<string[]> {
  const done: string[] = []
  for (const id of ids) {
    try {
      await change(id)
      done.push(id)
    } catch (error) {
      if (!MemoryError.is(error) || (error.code !== 'MEMORY_NOT_FOUND' && error.code !== 'CONFLICT')) throw error
    }
  }
  return done
}

async function readChoice({ context }: View): Promise<{ ids: string[]; action: string }> {
  const form = await context.req.parseBody({ all: true })
  const ids = [form.id ?? []].flat().filter((id) => typeof id === 'string')
  if (ids.length === 0 || ids.length > LIMITS.pageLimit) {
    throw new MemoryError('INVALID_INPUT', 'Choose at least one memory.', { details: { field: 'id' } })
  }
  return { ids: [...new Set(ids)], action: typeof form.action === 'string' ? form.action : '' }
}
