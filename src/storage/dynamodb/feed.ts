import { jsonOr } from '../../text/json.ts'
import { textOf } from './attributes.ts'
import type { Connection } from './connection.ts'
import type { Place } from './place.ts'
import { uniqueKey } from './scope-key.ts'

/** A feed entry: a shard of the counter, and which of its writes. See `Lanes`. */
export interface Cause {
  shard: string
  number: number
}

/** How long a feed entry is kept. A copy that is older is read again. */
export const FEED_SECONDS = 30 * 24 * 3600

/** An entry of a partition's feed: the places that one commit wrote. */
export function feedItem(partition: string, cause: Cause, places: readonly Place[], at: number) {
  return {
    key: feedKey(partition, cause),
    places: JSON.stringify(places.map(({ agentProjectKey, createdAt }) => [agentProjectKey, createdAt])),
    ttl: Math.ceil(at / 1000) + FEED_SECONDS,
  }
}

function feedKey(partition: string, { shard, number }: Cause): string {
  return uniqueKey('feed', `${partition}|${shard}|${number}`)
}

export interface FeedEntry {
  places: Place[]
}

/** These entries; null if one is missing. Earlier versions count their writes without an entry. */
export async function readFeed(
  connection: Connection,
  partition: string,
  causes: readonly Cause[],
): Promise<FeedEntry[] | null> {
  const keys = causes.map((cause) => ({ key: feedKey(partition, cause) }))
  const items = await connection.get('agent-memory-keys', keys)
  if (items.length < causes.length) return null
  return items.map((item) => ({
    places: (jsonOr(textOf(item, 'places') ?? '', []) as [string, string][]).map(([agentProjectKey, createdAt]) => ({
      agentProjectKey,
      createdAt,
    })),
  }))
}
