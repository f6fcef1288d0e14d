import { invalidInput, MemoryError } from '../../../model/errors.ts'
import { LIMITS } from '../../../model/limits.ts'
import { DEFAULT_CONFIDENCE, type Memory } from '../../../model/memory.ts'
import { readForm } from '../../body.ts'
import { countMemories, countOf } from '../format.ts'
import type { Page } from '../pages.ts'
import { toast } from '../toast.ts'
import { byId, type View } from '../view.ts'

interface Changed {
  text: string
  bad?: boolean
  undo?: readonly string[]
}
type Change = (view: View, ids: readonly string[]) => Promise<Changed>

const ACTIONS: Record<string, Change> = {
  async delete(view, ids) {
    const { deleted, failed } = await byId(view).bulkDelete(ids)
    return { text: `${countMemories(deleted)} deleted.`, undo: ids.filter((id) => !failed.includes(id)) }
  },
  async deactivate(view, ids) {
    const done = await each(ids, (id) => byId(view).update(id, { active: false }))
    return { text: `${countMemories(done.length)} deactivated.` }
  },
  async raise(view, ids) {
    const done = await each(ids, async (id) => {
      const memory = await byId(view).get(id)
      if (memory?.trust === 'quarantined') return { memory }
      return byId(view).update(id, { confidence: Math.max(memory?.confidence ?? 0, DEFAULT_CONFIDENCE) })
    })
    return restored('reactivated', done)
  },
}

/** Held memories stay held, whatever their confidence. */
function restored(done: 'reactivated' | 'restored', all: readonly { memory: Memory }[]): Changed {
  const held = all.filter(({ memory }) => memory.trust === 'quarantined').length
  const text = `${countMemories(done === 'restored' ? all.length : all.length - held)} ${done}.`
  if (held === 0) return { text }
  const which = all.length === 1 ? 'It is' : countOf(held, 'is', 'are')
  return { text: `${text} ${which} still held for review.`, bad: true }
}

export const bulkPages: readonly Page[] = [
  {
    path: 'POST /memories/:id/delete',
    needs: 'write',
    summary: 'Deletes a memory; it can be restored.',
    async handle(view) {
      const id = view.param('id')
      await byId(view).delete(id)
      return view.context.body(null, 200, toast('Deleted.', { undo: [id] }))
    },
  },
  {
    path: 'POST /memories/bulk',
    needs: 'write',
    summary: 'Deletes, deactivates or reactivates all memories that are selected.',
    async handle(view) {
      const { ids, action } = await readSelection(view)
      const change = ACTIONS[action]
      if (!change) throw invalidInput('action', 'Invalid action.')
      const { text, ...message } = await change(view, ids)
      return view.context.body(null, 204, toast(text, message))
    },
  },
  {
    path: 'POST /memories/restore',
    needs: 'write',
    summary: 'Restores deleted memories.',
    async handle(view) {
      const { ids } = await readSelection(view)
      const { text, ...message } = restored('restored', await each(ids, (id) => byId(view).restore(id)))
      return view.context.body(null, 204, toast(text, message))
    },
  },
]

/** One at a time; a memory that was deleted or changed meanwhile does not stop the others. */
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

async function readSelection({ context }: View): Promise<{ ids: string[]; action: string }> {
  const form = await readForm(context, { all: true })
  const ids = [form.id ?? []].flat().filter((id) => typeof id === 'string')
  if (ids.length === 0 || ids.length > LIMITS.pageLimit) {
    throw invalidInput('id', 'Select at least one memory.')
  }
  return { ids: [...new Set(ids)], action: typeof form.action === 'string' ? form.action : '' }
}
