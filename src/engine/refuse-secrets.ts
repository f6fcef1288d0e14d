import { invalidInput } from '../model/errors.ts'
import type { Change } from '../model/records.ts'
import type { Write } from '../storage/commit.ts'

type Named = [field: string, value: string]

/** Made by us and by Claude Code, and times. They are most of what is named, and the guard takes a while to load. */
const MADE =
  /^(?:[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,12}Z|[0-9a-f]{32}(?::\d+)?)$/
/** Secrets have digits or signs, and are long. */
const SUSPICIOUS = /^(?=.{12})(?:.*\d|.*[=:\s])/s

/** An identifier cannot be redacted, for then it would name something else. So one that holds a secret is refused. */
export async function refuseSecrets(named: Iterable<Named>): Promise<void> {
  for (const [field, value] of named) {
    if (MADE.test(value) || !SUSPICIOUS.test(value)) continue
    const { redactSecrets } = await import('../guard/redact-secrets.ts')
    const [found] = redactSecrets(value).found
    if (found === undefined) continue
    throw invalidInput(field, `Invalid ${field}: it holds a secret (${found.rule}).`)
  }
}

/** Fields that the guard has cleaned: what they held of secrets is redacted. */
const CLEANED: ReadonlySet<string> = new Set(['content', 'service', 'tags', 'metadata', 'anchor', 'data', 'outcome'])

/**
 * Everything in a write that is stored as it is: every text but those that the guard cleaned, so that no field can be forgotten. Of
 * documents those that somebody chose: a token's hash looks like a secret, and the texts of a personality are redacted. An update keeps the
 * names that are stored; those that a caller changes are in its patch.
 */
export function namesIn(write: Write): Named[] {
  switch (write.kind) {
    case 'insert':
      return textsIn(write.row.memory)
    case 'change':
      return changeTexts(write.change)
    case 'session': {
      const { id, ...session } = write.session
      return textsIn({ session: id, ...session })
    }
    case 'injection':
      return textsIn(write.injection)
    case 'event':
      return textsIn(write.event)
    case 'put':
      return textsIn(namesOf(write))
    default:
      return []
  }
}

/** Who made it is redacted, and may name a session: it is not a name that is refused. */
function changeTexts({ by: _, after, ...change }: Change): Named[] {
  return [...textsIn(change), ...textsIn(after)]
}

/** With the name of each field; `a.b` of one inside another. */
export function textsIn(value: unknown, path = ''): Named[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    if (path === '' && CLEANED.has(name)) return []
    return textsIn(item, path === '' ? name : `${path}.${name}`)
  })
}

function namesOf(write: Extract<Write, { kind: 'put' }>): object {
  if (write.collection === 'personality') return { agentName: write.document.agentName }
  if (write.collection === 'token') {
    const { name, identifiers } = write.document
    return { name, identifiers }
  }
  if (write.collection !== 'directory') return {}
  const { id, teamId, orgId, companyId } = write.document
  return { id, teamId, orgId, companyId }
}
