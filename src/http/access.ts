import { requireSome } from '../engine/claim.ts'
import type { Nokosu, OwnMemories } from '../engine/nokosu.ts'
import type { RemoteCaller } from '../engine/url/remote-memory.ts'
import { mayName } from '../engine/within.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { EVERY_AGENT, type IdentifierName, type Identifiers } from '../model/layer.ts'
import type { Quota } from '../model/records.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { type CountWrites, dailyWrites } from './daily-writes.ts'
import { stopWith } from './stop-with.ts'

export const TOKEN_SCOPES = ['read', 'write', 'admin'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

export interface ApiCaller {
  /** The token's name; `local` for this machine's operator, and `anonymous` without a token. Shown in the history. */
  name: string
  scope: TokenScope
  /** What the caller is bound to; none: it may claim any identity. */
  identifiers: Identifiers
  /** Its token's own limits. */
  quota?: Quota
  /** The token's id; null without a token. */
  token: string | null
  /** How it was identified: a token, this machine's operator key, the proxy's header, or not at all. */
  via: 'token' | 'key' | 'sso' | 'nothing'
  /** It sent no token, and this machine's server requires none: it reads and adds, as an agent. */
  isAnonymous: boolean
  /** Sent back by our own pages' forms and scripts, as `x-csrf-token` or the field `csrf`. */
  csrf: string
}

export interface RequestClaim {
  identifiers?: Identifiers | undefined
  everything?: boolean | undefined
}

/** What a request may do. A handler gets the engine only from here. */
export interface Access {
  readonly caller: ApiCaller
  /** Binds the caller's key to a request. */
  bindKey: Nokosu['bindKey']
  may(scope: TokenScope): boolean
  /** The engine, limited to the request's identifiers and the caller's bound. Requires identifiers, or `everything` from an admin. */
  memory(claim?: RequestClaim): OwnMemories
  /** The same as an agent, whatever the token: it sees no held memories, and changes nothing of an operator's. */
  agent(identifiers: Identifiers): OwnMemories
  /**
   * The same for an overview: for an admin without further parameters, the whole store; for a caller bound to a project, all agents
   * in it.
   */
  own(claim?: RequestClaim): OwnMemories
  /** The same for a request that names its object by id, which is enough if the caller may claim any identity. */
  byId(claim?: RequestClaim): OwnMemories
  /** The engine for an operation of another machine: see {@link remoteEngine}. */
  remote(asked: RemoteAsk): OwnMemories
}

export interface RemoteAsk {
  as: RemoteCaller
  claim: RequestClaim
  /** It names its object by id. */
  byId: boolean
  /** Its arguments must contain identifiers. */
  needsClaim: boolean
}

/** Engines are cached for returning callers: creating one costs more than a small request. */
const MOST_KEPT = 500

/** With `request`, work for the caller stops when that is aborted. */
export function accessFor(
  memory: Nokosu,
  countWrites: CountWrites = dailyWrites(memory),
): (caller: ApiCaller, request?: AbortSignal) => Access {
  const kept = new Map<string, OwnMemories>()
  const keep = (key: string, open: () => OwnMemories): OwnMemories => {
    const known = kept.get(key)
    if (known) return known
    const opened = open()
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(key, opened)
    return opened
  }
  return (caller, request) => {
    const stopping = (own: OwnMemories) => (request === undefined ? own : stopWith(own, request))
    const by = caller.name
    const may = (scope: TokenScope) => TOKEN_SCOPES.indexOf(caller.scope) >= TOKEN_SCOPES.indexOf(scope)
    const seesHeld = may('admin')
    const bound = Object.keys(caller.identifiers).length > 0
    // Programs and agents hold the other tokens: only an admin's word counts as an operator's.
    const agent = !may('admin')
    const mayAll = may('admin') || caller.isAnonymous
    const anonymous = caller.isAnonymous ? ({ anonymous: true } as const) : {}
    const metered = meter(caller, countWrites)
    const counts = metered.beforeWrite ? caller.token : null
    const bounded = (identifiers: Identifiers, mode: { seesHeld: boolean; agent: boolean } = { seesHeld, agent }) =>
      keep(JSON.stringify([by, identifiers, caller.identifiers, mode, anonymous, counts]), () =>
        memory.as(identifiers, {
          by,
          named: true,
          ...mode,
          ...anonymous,
          ...metered,
          ...(bound ? { within: caller.identifiers } : {}),
        }),
      )
    const everything = () =>
      keep(JSON.stringify([by, seesHeld, anonymous, counts]), () =>
        memory.operator(by, { named: true, seesHeld, agent, ...anonymous, ...metered }),
      )
    const open = ({ identifiers = {}, everything: all }: RequestClaim): OwnMemories => {
      if (all && Object.keys(identifiers).length > 0) throw contradiction()
      if (all && (bound || !mayAll)) throw refused('everything', caller)
      return all ? everything() : bounded(bound ? narrow(caller, identifiers) : identifiers)
    }
    /** Without parameters, everything, or everything in the caller's project. */
    const openAll = (claim: RequestClaim, isOpen: boolean): OwnMemories => {
      const said = claim.everything || Object.keys(claim.identifiers ?? {}).length > 0
      if (said || (!bound && !isOpen)) return open(claim)
      return bound ? bounded(onlooker(caller.identifiers)) : everything()
    }
    return {
      caller,
      bindKey: memory.bindKey,
      may,
      memory: (claim = {}) => stopping(open(claim)),
      agent: (identifiers) =>
        stopping(bounded(bound ? narrow(caller, identifiers) : identifiers, { seesHeld: false, agent: true })),
      own: (claim = {}) => stopping(openAll(claim, mayAll)),
      byId: (claim = {}) => stopping(openAll(claim, true)),
      // Its calls carry keys: a client that gave up retries, and finds what was done meanwhile.
      remote: (asked) => remoteEngine(memory, caller, metered, asked),
    }
  }
}

/**
 * A bound token acts as an agent, whatever the call says: it stays inside its bound, sees no held memories, and never counts as an operator. An unbound token
 * calls the engine as this machine's own command line does, except for what needs an admin.
 */
function remoteEngine(memory: Nokosu, caller: ApiCaller, metered: Metered, asked: RemoteAsk): OwnMemories {
  const isAdmin = caller.scope === 'admin'
  const { as, claim, byId, needsClaim } = asked
  const everything = as.everything ?? claim.everything ?? false
  const by = { by: caller.name, named: true, ...metered } as const
  if (Object.keys(caller.identifiers).length > 0) {
    if (everything && !byId) throw refused('everything', caller)
    const said = as.identifiers ?? claim.identifiers
    const own = byId ? onlooker(caller.identifiers) : caller.identifiers
    const within = narrowRemote(caller, as.within ?? {})
    const identifiers = said === undefined ? own : narrowRemote(caller, said)
    return memory.as(identifiers, { ...by, within, seesHeld: false, agent: true })
  }
  const { isAnonymous } = caller
  if (everything && !isAdmin && !isAnonymous && !byId) throw refused('everything', caller)
  const { agent, within, seesHeld = isAdmin ? undefined : false } = as
  const mode = {
    ...by,
    ...withoutUndefined({ agent: !isAdmin || agent, seesHeld: isAdmin ? seesHeld : false }),
    ...(isAnonymous ? ({ anonymous: true } as const) : {}),
  }
  if (as.identifiers !== undefined) return memory.as(as.identifiers, { ...mode, ...withoutUndefined({ within }) })
  if (needsClaim && !byId && !everything) requireSome(claim.identifiers ?? {})
  const { by: name, ...rest } = mode
  return memory.operator(name, rest)
}

interface Metered {
  beforeWrite?: (memories: number) => Promise<void>
}

/** Counts the writes of a caller that has a quota. */
function meter({ token, quota }: ApiCaller, countWrites: CountWrites): Metered {
  const perDay = quota?.writesPerDay
  if (token === null || perDay === undefined) return {}
  return { beforeWrite: (memories) => countWrites(token, perDay, memories) }
}

/** Like {@link narrow}, for identifiers that a machine adds to all its calls: a token of an agent alone drops the project, and every agent is its own. */
function narrowRemote(caller: ApiCaller, asked: Identifiers): Identifiers {
  const { identifiers: bound } = caller
  const meant = Object.entries(asked).filter(([name, value]) => {
    const own = bound[name as IdentifierName]
    return own === undefined ? bound.projectId !== undefined : value !== EVERY_AGENT
  })
  return narrow(caller, Object.fromEntries(meant))
}

/** A caller bound to a project alone sees what every agent recorded there. */
function onlooker(identifiers: Identifiers): Identifiers {
  const alone = identifiers.projectId !== undefined && identifiers.agentId === undefined
  return alone ? { ...identifiers, agentId: EVERY_AGENT } : identifiers
}

function narrow(caller: ApiCaller, asked: Identifiers): Identifiers {
  const { identifiers: bound } = caller
  for (const [name, value] of Object.entries(asked) as [IdentifierName, string][]) {
    const own = bound[name]
    if (own === value) continue
    if (own !== undefined || !mayName(bound, name)) throw refused(name, caller, value)
  }
  return { ...asked, ...bound }
}

function contradiction(): MemoryError {
  return invalidInput('everything', 'Invalid everything: give identifiers or everything, not both.')
}

function refused(name: string, { identifiers }: ApiCaller, asked?: string): MemoryError {
  const own = Object.entries(identifiers).map(([key, value]) => `${key} ${value}`)
  const why = own.length === 0 ? 'it is not an admin’s' : `it is bound to ${own.join(', ')}`
  const what = asked === undefined ? name : `${name} ${asked}`
  const { projectId } = identifiers
  const hint =
    name === 'projectId' && projectId !== undefined
      ? { hint: `If this is that project, say so: --project ${projectId}, or NOKOSU_PROJECT=${projectId}.` }
      : {}
  return new MemoryError('UNAUTHORIZED', `This token does not give access to ${what}: ${why}.`, {
    details: { identifier: name, ...hint },
  })
}
