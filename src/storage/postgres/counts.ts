import { scopeOf } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { Decision } from '../decide.ts'
import type { Held, KnownRows } from './known.ts'
import { scopeText } from './scopes.ts'

export interface Count {
  what: 'memories' | 'active' | 'vectors' | 'sessions'
  key: number
  n: number
}

type Counted = Pick<Held, 'scope' | 'active' | 'model'>

export function countsOf(
  { memories, sessions }: Decision,
  known: KnownRows,
  scopes: ReadonlyMap<string, number>,
  model: number,
): Count[] {
  const after = new Map<string, Counted | null>()
  for (const write of memories) {
    const id = 'row' in write ? write.row.memory.id : write.id
    const before = after.get(id) ?? known.memories.get(id) ?? null
    if (write.kind === 'delete') after.set(id, null)
    else if (write.kind === 'embed') after.set(id, { ...before!, model })
    else if (write.kind === 'insert' || write.kind === 'update') {
      const { memory, embedding } = write.row
      const own = embedding === undefined ? (before?.model ?? null) : embedding && model
      after.set(id, { scope: scopes.get(textOf(memory))!, active: memory.active, model: own })
    }
  }
  const counts = new Map<string, Count>()
  const add = (what: Count['what'], key: number, n: number) => {
    const name = `${what} ${key}`
    counts.set(name, { what, key, n: (counts.get(name)?.n ?? 0) + n })
  }
  const count = (row: Counted | null | undefined, n: 1 | -1) => {
    if (!row) return
    add('memories', row.scope, n)
    if (row.active) add('active', row.scope, n)
    if (row.model !== null) add('vectors', row.model, n)
  }
  for (const [id, row] of after) {
    count(known.memories.get(id), -1)
    count(row, 1)
  }
  for (const id of sessions.keys()) if ((known.sessions.get(id)?.startedAt ?? null) === null) add('sessions', 0, 1)
  return [...counts.values()].filter(({ n }) => n !== 0)
}

function textOf({ layer, identifiers }: Memory): string {
  return scopeText(scopeOf(layer, identifiers))
}
