import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Ask, Collection, Item } from './collection.ts'
import { readAsked } from './read-asked.ts'
import { readRows } from './read-file.ts'
import type { Half } from './read-own.ts'

const MOMENTS = join(import.meta.dirname, '..', 'moments')

/**
 * Questions over projects of `eval/moments`, each in a store of its own, or over one store with every project's memories. Those of
 * `own/report-2.jsonl` were written before their author read how search scores, and are only reported on; those of `own/choose-2.jsonl`
 * are for choosing.
 */
export function readProjects(half: Half, together: boolean): Collection[] {
  const rows = readAsked(join(import.meta.dirname, 'own', half === 'held' ? 'report-2.jsonl' : 'choose-2.jsonl'))
  const asks = rows.flatMap(({ id, answers, not }): Ask[] => [
    ...answers.map((query) => ({ query, answers: [id], category: 'asked' })),
    ...not.map((query) => ({ query, answers: [], category: 'nothing' })),
  ])
  const projectOf = (key: string) => key.split('/')[0]!
  if (together) {
    const projects = readdirSync(MOMENTS).filter((name) => existsSync(join(MOMENTS, name, 'memories.jsonl')))
    return [{ name: 'all projects', items: projects.flatMap(itemsOf), asks }]
  }
  const asked = Map.groupBy(rows, ({ id }) => projectOf(id))
  return [...asked].map(([name, own]) => {
    const queries = new Set(own.flatMap(({ answers, not }) => [...answers, ...not]))
    return { name, items: itemsOf(name), asks: asks.filter(({ query }) => queries.has(query)) }
  })
}

function itemsOf(project: string): Item[] {
  return readRows(join(MOMENTS, project, 'memories.jsonl')).map(({ id, content, service }) => ({
    key: `${project}/${id}`,
    content: content as string,
    service: service as string | null,
  }))
}
