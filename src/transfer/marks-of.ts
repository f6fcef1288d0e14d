import { scopeOf } from '../model/layer.ts'
import { countedKey, saidKey } from '../model/once-keys.ts'
import type { Change } from '../model/records.ts'
import type { Write } from '../storage/commit.ts'

const SESSION = 'session:'

/**
 * The once-keys that a change by a session took: the words that it left, or the memory that it counted for. With them a session
 * that is captured again in the new store changes nothing there either, and brings back nothing that was deleted.
 */
export function marksOf({ by, memory, operation, after }: Change): Write[] {
  if (!by.startsWith(SESSION) || after === null) return []
  const session = by.slice(SESSION.length)
  if (session === '') return []
  const said = operation === 'create' ? [saidKey(session, scopeOf(after.layer, after.identifiers), after)] : []
  return [{ kind: 'mark', memory, once: [...said, countedKey(session, memory)] }]
}
