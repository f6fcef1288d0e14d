import { MemoryError } from '../model/errors.ts'
import type { Identifiers } from '../model/layer.ts'
import type { Write } from '../storage/commit.ts'

type Named = [field: string, value: string | null | undefined]

/** Made by us and by Claude Code. They are most of what is named, and the guard takes a while to load. */
const MADE = /^(?:[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
/** Secrets have digits or signs, and are long. */
const SUSPICIOUS = /^(?=.{12})(?:.*\d|.*[=:\s])/s

/** An identifier cannot be redacted, for then it would name something else. So one that holds a secret is refused. */
export async function refuseSecrets(named: Iterable<Named>): Promise<void> {
  for (const [field, value] of named) {
    if (value === null || value === undefined || MADE.test(value) || !SUSPICIOUS.test(value)) continue
    const { redactSecrets } = await import('../guard/redact-secrets.ts')
    const [found] = redactSecrets(value).found
    if (found === undefined) continue
    throw new MemoryError('INVALID_INPUT', `Invalid ${field}: it holds a secret (${found.rule}).`, {
      details: { field },
    })
  }
}

/** Everything in a write that names somebody or something, and is stored as it is. */
export function* namesIn(write: Write): Generator<Named> {
  switch (write.kind) {
    case 'insert':
    case 'update':
      yield* ofIdentifiers(write.row.memory.identifiers)
      yield ['session', write.row.memory.session]
      return
    case 'change':
      yield* ofIdentifiers(write.change.after?.identifiers ?? {})
      yield ['session', write.change.after?.session]
      return
    case 'session': {
      const { id, agent, project, role } = write.session
      yield* Object.entries({ session: id, agent, project, role })
      return
    }
    case 'injection':
      yield ['session', write.injection.session]
      return
    case 'event':
      yield* ofIdentifiers(write.event.identifiers)
      yield ['session', write.event.session]
      return
    case 'put':
      yield* ofDocument(write)
  }
}

function* ofIdentifiers(identifiers: Identifiers): Generator<Named> {
  for (const [name, value] of Object.entries(identifiers)) yield [`identifiers.${name}`, value]
}

function* ofDocument(write: Extract<Write, { kind: 'put' }>): Generator<Named> {
  if (write.collection === 'personality') yield ['agentName', write.document.agentName]
  if (write.collection === 'token') {
    yield ['name', write.document.name]
    yield* ofIdentifiers(write.document.identifiers)
  }
  if (write.collection !== 'directory') return
  const { id, teamId, orgId, companyId } = write.document
  yield* Object.entries({ id, teamId, orgId, companyId })
}
