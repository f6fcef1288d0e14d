import type { HeldPartition } from './held-partition.ts'
import type { HeldRow } from './held-row.ts'
import { keyOf, nameInIndex, placeOfKey } from './outside.ts'
import type { Partitions } from './partitions.ts'
import { hiddenPartition, type Place } from './place.ts'
import type { OuterVector } from './vector-service.ts'

/**
 * Compares the index of vectors with the table. What is too much is removed. If something is missing, which cannot happen
 * unless somebody else writes there, all of it is made again from the table. Returns what it did.
 */
export async function repairIndex(partitions: Partitions): Promise<string[]> {
  const { vectors } = partitions
  if (vectors.service === null) return []
  const orphans = (await vectors.dropOrphans()).map(
    (name) => `index of vectors ${name}: deleted, because nobody uses it`,
  )
  await vectors.ready()
  const { index } = vectors
  return index === null ? orphans : [...orphans, ...(await repair(partitions, index))]
}

async function repair(partitions: Partitions, index: string): Promise<string[]> {
  const { vectors } = partitions
  const counted = await vectors.partitions()
  if (!(await vectors.service!.exists(index))) {
    await vectors.forget(index)
    await partitions.syncAll(counted, new Map())
    return [`index of vectors ${index}: made again, because it had gone`]
  }
  const read = () => partitions.readAll(counted)
  const missing = outsideRows(await read(), vectors.model.name)
  const held = new Map([...(await read()).values()].map((each) => [nameInIndex(each.name), each]))
  const unknown: OuterVector[] = []
  const strays = new Map<string, Place[]>()
  for await (const page of vectors.listed()) {
    for (const { key, metadata } of page) {
      const partition = held.get(metadata.p)
      const { hidden, createdAt } = placeOfKey(key)
      const name = partition?.name ?? ''
      const place = { agentProjectKey: hidden ? hiddenPartition(name) : name, createdAt }
      const row = partition?.at(place)
      if (!partition || keyOf(place) !== key) unknown.push({ key, metadata })
      else if (!row) strays.set(name, [...(strays.get(name) ?? []), place])
      else if (row.textHash === metadata.h) missing.delete(row)
    }
  }
  // Another process may have begun to write a partition meanwhile: it is listed first.
  const listed = new Set((await vectors.partitions()).map(({ partition }) => nameInIndex(partition)))
  const old = unknown.filter(({ metadata: { p } }) => held.has(p) || !listed.has(p))
  await vectors.service!.remove(
    index,
    old.map(({ key }) => key),
  )
  // What has changed meanwhile is not missing.
  const now = outsideRows(await read(), vectors.model.name)
  const isWrong = [...missing].some((row) => now.has(row))
  if (isWrong) await vectors.drop()
  await partitions.syncAll(counted, strays)
  const removed = old.length + [...strays.values()].reduce((sum, { length }) => sum + length, 0)
  if (isWrong) return [`index of vectors ${index}: made again, because vectors were missing`]
  return removed === 0 ? [] : [`index of vectors ${index}: ${removed} removed that no memory has`]
}

function outsideRows(partitions: ReadonlyMap<string, HeldPartition>, model: string): Set<HeldRow> {
  const held = [...partitions.values()].filter(({ outside }) => outside !== null)
  return new Set(held.flatMap((partition) => [...partition.items()].filter((row) => row.isOutside(model))))
}
