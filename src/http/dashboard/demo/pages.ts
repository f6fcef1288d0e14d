import { countMemories } from '../format.ts'
import type { Page } from '../pages.ts'
import { toast } from '../toast.ts'
import { loadDemo, removeDemo } from './demo-data.ts'

export const demoPages: readonly Page[] = [
  {
    path: 'POST /demo/load',
    needs: 'admin',
    summary: 'Loads the data of the demo.',
    async handle({ context, access }) {
      await loadDemo(access.own())
      return context.body(null, 204, toast('Demo data loaded.'))
    },
  },
  {
    path: 'POST /demo/remove',
    needs: 'admin',
    summary: 'Removes exactly the data of the demo.',
    async handle({ context, access }) {
      const removed = await removeDemo(access.own())
      return context.body(null, 204, toast(`${countMemories(removed)} of the demo removed.`))
    },
  },
]
