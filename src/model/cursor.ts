import { MemoryError } from './errors.ts'

/** Where a list stopped. Opaque to callers, stable under concurrent inserts. */
export interface Position {
  createdAt: string
  id: string
}

export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify(['n1', createdAt, id])).toString('base64url')
}

export function decodeCursor(cursor: string): Position {
  try {
    const [mark, createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (mark === 'n1' && typeof createdAt === 'string' && typeof id === 'string') return { createdAt, id }
  } catch {
    // Not ours: said below, as for any other text that is not a cursor.
  }
  throw new MemoryError('INVALID_INPUT', 'Invalid cursor: it is not one that a list returned.', {
    details: { field: 'cursor' },
  })
}
