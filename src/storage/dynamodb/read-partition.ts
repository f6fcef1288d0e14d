import type { Item } from './attributes.ts'
import type { Connection } from './connection.ts'
import { keyIs } from './item-conditions.ts'

/** Ranges of a partition that are read at once. */
const AT_ONCE = 8

/** The items after a sort key, up to another one; null: to the end. `until` is a guess at its last time. */
interface Range {
  after: string
  upTo: string | null
  until: number
}

/**
 * All items of a partition in the order of their sort keys. A page is at most a megabyte and says where the next one
 * begins, so after the first page the rest is read in ranges of time, each of which is divided again while there are
 * fewer than `AT_ONCE`.
 */
export async function readPartition(connection: Connection, key: string): Promise<Item[]> {
  const first = await connection.page('agent-memories', keyIs('agentProjectKey', key))
  if (first.end === null) return first.items
  const newest = { ...keyIs('agentProjectKey', key), ProjectionExpression: 'createdAt', ScanIndexForward: false }
  const [last] = await connection.query('agent-memories', newest, 1)
  const pages = [first.items]
  let open = 0
  const read = async ({ after, upTo, until }: Range): Promise<void> => {
    const range =
      upTo === null ? keyIs('agentProjectKey', key, ['#r > :r', 'createdAt', after]) : between(key, after, upTo)
    const { items, end } = await connection.page('agent-memories', range)
    pages.push(items)
    open--
    if (end !== null) await readAll({ after: end.createdAt!.S!, upTo, until })
  }
  const readAll = async (rest: Range): Promise<void> => {
    const ranges = divide(rest, Math.max(1, AT_ONCE - open))
    open += ranges.length
    await Promise.all(ranges.map(read))
  }
  await readAll({ after: first.end.createdAt!.S!, upTo: null, until: Date.parse(last?.createdAt?.S ?? '') })
  return pages.flat().sort((a, b) => (a.createdAt!.S! < b.createdAt!.S! ? -1 : 1))
}

/** A key followed by a zero character is the next key in sort order. */
function between(key: string, after: string, upTo: string) {
  const { KeyConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = keyIs(
    'agentProjectKey',
    key,
    ['#r BETWEEN :r AND :u', 'createdAt', `${after}\u0000`],
  )
  return {
    KeyConditionExpression,
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':u': { S: upTo } },
  }
}

/** Equal parts by time. Where a sort key is not a time of ISO 8601 in UTC, one part. */
function divide(range: Range, parts: number): Range[] {
  const from = Date.parse(range.after)
  if (Number.isNaN(from) || Number.isNaN(range.until)) return [range]
  const step = (range.until - from) / parts
  const cuts = Array.from({ length: parts - 1 }, (_, i) => Math.round(from + step * (i + 1)))
  const ranges: Range[] = []
  let { after } = range
  for (const cut of cuts) {
    const upTo = new Date(cut).toISOString()
    if (upTo <= after || (range.upTo !== null && upTo >= range.upTo)) continue
    ranges.push({ after, upTo, until: cut })
    after = upTo
  }
  return [...ranges, { ...range, after }]
}
