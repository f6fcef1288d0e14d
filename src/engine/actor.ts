import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname, userInfo } from 'node:os'
import type { AuditEntry } from '../model/records.ts'

/** On whose behalf the engine works, as the audit log names it. */
export type Actor = Pick<AuditEntry, 'by' | 'via' | 'from'>

const actors = new AsyncLocalStorage<Actor>()

/** Work for a caller that a server has identified. */
export function actingFor<Result>(actor: Actor, work: () => Result): Result {
  return actors.run(actor, work)
}

/** Without a server, it is the user of this process. */
export function currentActor(by: string): Actor {
  return actors.getStore() ?? { by, via: 'process', from: `${userName()}@${hostname()}` }
}

/** Not every user of a container has a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}
