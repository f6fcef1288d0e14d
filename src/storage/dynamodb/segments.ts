import type { ScanCommandInput } from '@aws-sdk/client-dynamodb'
import type { Item } from './attributes.ts'
import type { Connection } from './connection.ts'
import type { TableName } from './schema.ts'

/** Parts of a table that are read at once. */
const SEGMENTS = 8

/** A page of a table. All items of a partition key are in the same segment, one after another. */
export interface SegmentPage {
  segment: number
  items: Item[]
}

/**
 * Reads a table a page (a megabyte) at a time, in segments at once. At most one page of each segment waits for the
 * caller, so a table of any size takes the same memory. A table of one page is read with one request.
 */
export async function* readSegments(
  connection: Connection,
  name: TableName,
  input: Partial<ScanCommandInput> = {},
): AsyncGenerator<SegmentPage> {
  const first = await connection.scanPage(name, input)
  if (!first.end) {
    yield { segment: 0, items: first.items }
    return
  }
  const start = (segment: number) => connection.pages(name, { ...input, Segment: segment, TotalSegments: SEGMENTS })
  const readers = Array.from({ length: SEGMENTS }, (_, segment) => start(segment))
  const next = async (segment: number) => ({ segment, read: await readers[segment]!.next() })
  const open = new Map(readers.map((_, segment) => [segment, next(segment)]))
  try {
    while (open.size > 0) {
      const { segment, read } = await Promise.race(open.values())
      if (read.done) open.delete(segment)
      else {
        open.set(segment, next(segment))
        yield { segment, items: read.value }
      }
    }
  } finally {
    // If the caller stops early or a segment fails, the others end quietly.
    await Promise.allSettled(open.values())
  }
}
