import { keyOf } from '../decide.ts'
import type { StoredMemory } from '../memory-query.ts'
import { type Found, type SearchQuery, tokenWeight } from '../search-query.ts'
import type { ReferenceData, Row } from './data.ts'
import { inScopes, meets } from './meets.ts'

export function vectorOf(data: ReferenceData, { embedding }: Row, model: string): Float32Array | null {
  if (embedding?.model !== model) return null
  return data.vectors.get(keyOf(model, embedding.hash)) ?? null
}

export function find(data: ReferenceData, query: SearchQuery, model: string): Found {
  const { scopes, where, vector, tokens, limit, around = 0 } = query
  const inScope = [...data.memories.values()].filter((row) => inScopes(row, scopes))
  const documents = inScope.length
  const frequencies = tokens.map((token) => inScope.filter((row) => row.tokens.includes(token)).length)

  const wanted = inScope.filter((row) => meets(row, where, model))
  const near = best(wanted, limit, (row) => {
    const own = vectorOf(data, row, model)
    return vector && own ? dot(vector, own) : null
  })
  const worded = best(wanted, limit, (row) => {
    const weights = tokens.flatMap((token, i) =>
      row.tokens.includes(token) ? tokenWeight(documents, frequencies[i]!) : [],
    )
    return weights.length === 0 ? null : weights.reduce((sum, weight) => sum + weight)
  })
  const found = [...near, ...worded]
  const besides = around === 0 ? [] : wanted.filter((row) => found.some((other) => isAround(row, other, around)))
  const candidates = [...new Set([...found, ...besides])].map(
    (row): StoredMemory => ({ memory: row.memory, vector: vectorOf(data, row, model) }),
  )
  return { candidates, documents, frequencies }
}

function isAround({ memory: { thread: a } }: Row, { memory: { thread: b } }: Row, places: number): boolean {
  return a !== null && b !== null && a.id === b.id && Math.abs(a.index - b.index) <= places
}

/** The highest scores, then the newest. Rows without a score are left out. */
function best(rows: readonly Row[], limit: number, scoreOf: (row: Row) => number | null): Row[] {
  return rows
    .flatMap((row) => {
      const score = scoreOf(row)
      return score === null ? [] : [{ row, score }]
    })
    .sort((a, b) => b.score - a.score || (isNewer(a.row, b.row) ? -1 : 1))
    .slice(0, limit)
    .map(({ row }) => row)
}

export function isNewer(
  { memory: a }: { memory: Pick<Row['memory'], 'createdAt' | 'id'> },
  { memory: b }: { memory: Pick<Row['memory'], 'createdAt' | 'id'> },
): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}
