/** Nokosu as a LangGraph store: what nodes put there is stored in Nokosu and found by meaning. */
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint'
import type { OwnMemories } from '../engine/nokosu.ts'
import type { Filter } from '../model/filter.ts'
import type { JsonObject, Memory } from '../model/memory.ts'

/** Marks the beginning of the namespace, so that "contains" only finds prefixes. */
const START = '|'

export class NokosuStore extends BaseStore {
  readonly #memory: OwnMemories

  /** `memory` is the engine for one caller: `engine.as({ projectId: 'shop' })`. */
  constructor(memory: OwnMemories) {
    super()
    this.#memory = memory
  }

  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = []
    for (const operation of operations) results.push(await this.#apply(operation))
    return results as OperationResults<Op>
  }

  #apply(operation: Operation): Promise<unknown> {
    if ('value' in operation) return this.#put(operation)
    if ('key' in operation) return this.#get(operation)
    if ('namespacePrefix' in operation) return this.#search(operation)
    return this.#listNamespaces(operation)
  }

  async #find({ namespace, key }: GetOperation): Promise<Memory | undefined> {
    const filter = { 'langgraph.namespace': toPath(namespace), 'langgraph.key': key }
    return (await this.#memory.list({ filter, limit: 1 })).memories[0]
  }

  async #get(operation: GetOperation): Promise<Item | null> {
    const memory = await this.#find(operation)
    return memory ? toItem(memory) : null
  }

  async #put({ namespace, key, value }: PutOperation): Promise<void> {
    const known = await this.#find({ namespace, key })
    if (value === null) {
      if (known) await this.#memory.delete(known.id)
      return
    }
    const content = typeof value.text === 'string' ? value.text : JSON.stringify(value)
    const metadata = { langgraph: { namespace: toPath(namespace), key, value: value as JsonObject } }
    if (known) await this.#memory.update(known.id, { content, metadata })
    else await this.#memory.add({ content, metadata, exact: true })
  }

  async #search({
    namespacePrefix,
    query,
    filter,
    limit = 10,
    offset = 0,
  }: SearchOperation): Promise<(Item & { score?: number })[]> {
    const where = { 'langgraph.namespace': { contains: toPath(namespacePrefix) }, ...toFilter(filter) }
    if (query === undefined) {
      const { memories } = await this.#memory.list({ filter: where, limit: limit + offset })
      return memories.slice(offset).map(toItem)
    }
    const request = { query, filter: where, limit: limit + offset, order: 'relevance' as const }
    const { results } = await this.#memory.search(request)
    return results.slice(offset).map(({ memory, score }) => ({ ...toItem(memory), score }))
  }

  async #listNamespaces({
    matchConditions = [],
    maxDepth,
    limit,
    offset,
  }: ListNamespacesOperation): Promise<string[][]> {
    const found = new Map<string, string[]>()
    let cursor: string | null = null
    do {
      const filter: Filter = { 'langgraph.namespace': { contains: START } }
      const page = await this.#memory.list({ filter, limit: 100, ...(cursor === null ? {} : { cursor }) })
      for (const { namespace } of page.memories.map(toItem)) {
        const fits = matchConditions.every(({ matchType, path }) => {
          const part = matchType === 'prefix' ? namespace.slice(0, path.length) : namespace.slice(-path.length)
          return part.length === path.length && path.every((name, i) => name === '*' || name === part[i])
        })
        const shown = namespace.slice(0, maxDepth)
        if (fits) found.set(toPath(shown), shown)
      }
      cursor = page.nextCursor
    } while (cursor !== null)
    return [...found.values()].slice(offset, offset + limit)
  }
}

function toPath(namespace: readonly string[]): string {
  return START + namespace.map((name) => `${encodeURIComponent(name)}/`).join('')
}

function toItem({ metadata, createdAt, updatedAt }: Memory): Item {
  const { namespace, key, value } = metadata.langgraph as { namespace: string; key: string; value: JsonObject }
  const names = namespace.slice(START.length).split('/').slice(0, -1).map(decodeURIComponent)
  return { namespace: names, key, value, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
}

/** Translates LangGraph's `{ status: 'open', tries: { $gt: 2 } }`. `$ne` is not supported. */
function toFilter(filter: Record<string, unknown> = {}): Filter {
  const conditions = Object.entries(filter).map(([field, condition]) => {
    const operators = Object.entries(condition as object).map(([name, value]) => [name.replace('$', ''), value])
    return [`langgraph.value.${field}`, typeof condition === 'object' ? Object.fromEntries(operators) : condition]
  })
  return Object.fromEntries(conditions) as Filter
}
