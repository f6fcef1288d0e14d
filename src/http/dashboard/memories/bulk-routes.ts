import { MemoryError } from '../../../model/errors.ts'
import { LIMITS } from '../../../model/limits.ts'
import { DEFAULT_CONFIDENCE, type Memory } from '../../../model/memory.ts'
import type { Route, ServerParts } from '../../route.ts'
import { countOf } from '../format.ts'
import { pageRoute } from '../page-route.ts'
import { byId, type View } from '../view.ts'
import { told } from './told.ts'

const some = (count: number) => countOf(count, 'memory', 'memories')

interface Changed {
  text: string
  bad?: boolean
  undo?: readonly string[]
}
type Change = (view: View, ids: readonly string[]) => Promise<Changed>

const ACTIONS: Record<string, Change> = {
  async delete(view, ids) {
    const { deleted, failed } = await byId(view).bulkDelete(ids)
    return { text: `${some(deleted)} deleted.`, undo: ids.filter((id) => !failed.includes(id)) }
  },
  async deactivate(view, ids) {
    const done = await each(ids, (id) => byId(view).update(id, { active: false }))
    return { text: `${some(done.length)} deactivated.` }
  },
  async raise(view, ids) {
    const done = await each(ids, async (id) => {
      const memory = await byId(view).get(id)
      if (memory?.trust === 'quarantined') return { memory }
      return byId(view).update(id, { confidence: Math.max(memory?.confidence ?? 0, DEFAULT_CONFIDENCE) })
    })
    return broughtBack(done)
  },
}

/** What is held for review stays held, however certain it is. */
function broughtBack(done: readonly { memory: Memory }[]): Changed {
  const held = done.filter(({ memory }) => memory.trust === 'quarantined').length
  if (held === 0) return { text: `${some(done.length)} brought back.` }
  const rest = held === 1 ? '1 is held until it is accepted' : `${held} are held until they are accepted`
  return { text: `${some(done.length - held)} brought back; ${rest} in the review.`, bad: true }
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
        return view.context.body(null, 200, told('Deleted.', { undo: [id] }))
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
        const { text, ...message } = await change(view, ids)
        return view.context.body(null, 204, told(text, message))
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/memories/restore',
      needs: 'write',
      summary: 'Brings deleted memories back.',
      async handle(view) {
        const { ids } = await readChoice(view)
        const { text, ...message } = broughtBack(await each(ids, (id) => byId(view).restore(id)))
        return view.context.body(null, 204, told(text, message))
      },
    }),
  ]
}

/** One after the other; one that is gone or was changed meanwhile does not stop the others. */
async function each<Result>(ids: readonly string[], change: (id: string) => Promise<Result>): Promise<Result[]> {
  const done: Result[] = []
  for (const id of ids) {
    try {
      done.push(await change(id))
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
