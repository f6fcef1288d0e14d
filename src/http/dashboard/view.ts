import type { OwnMemories } from '../../engine/nokosu.ts'
import { isWithin } from '../../engine/within.ts'
import { EVERY_AGENT, type Identifiers } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { Access } from '../caller.ts'
import type { RequestContext, ServerParts } from '../route.ts'

/** What a page is made with. */
export interface View {
  context: RequestContext
  parts: ServerParts
  access: Access
  /** The engine, bounded to what the caller may see and, where the address names a project, to that. */
  own: OwnMemories
  /** The project that the address names, or that the caller is bound to; null: all that the caller may see. */
  project: string | null
  now: Date
  /** A piece of a page is asked for, not a page. */
  isPiece: boolean
  query(name: string): string | undefined
}

export function viewOf(context: RequestContext, parts: ServerParts, access: Access): View {
  const query = (name: string) => context.req.query(name)?.trim() || undefined
  const asked = query('project')
  const { projectId } = access.caller.identifiers
  // Asked for by name, a project is shown with what all its agents left in it.
  const claim = asked === undefined || asked === projectId ? {} : { identifiers: onlooker(asked) }
  return {
    context,
    parts,
    access,
    get own() {
      return access.own(claim)
    },
    project: asked ?? projectId ?? null,
    now: new Date(),
    isPiece: context.req.header('hx-request') !== undefined,
    query,
  }
}

function onlooker(projectId: string): Identifiers {
  return { projectId, agentId: EVERY_AGENT }
}

/** The engine for what a request changes by id. */
export function byId({ access }: View): OwnMemories {
  return access.byId()
}

/** Whether the caller may change this memory: the layers above its own are for reading. */
export function mayChange({ access }: View, memory: Memory): boolean {
  const { identifiers } = access.caller
  return access.may('write') && (Object.keys(identifiers).length === 0 || isWithin(identifiers, memory))
}

/** An address of the pages with these parameters; the project that is looked at stays in it. */
export function href(
  { context }: Pick<View, 'context'>,
  path: string,
  parameters: Record<string, string | null | undefined> = {},
): string {
  const query = new URLSearchParams()
  const project = context.req.query('project')
  for (const [name, value] of Object.entries({ ...parameters, ...(project ? { project } : {}) })) {
    if (value) query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
