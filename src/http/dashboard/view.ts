import type { OwnMemories } from '../../engine/nokosu.ts'
import { isWithin } from '../../engine/within.ts'
import { EVERY_AGENT } from '../../model/layer.ts'
import type { Memory } from '../../model/memory.ts'
import type { Access } from '../access.ts'
import { readForm } from '../body.ts'
import type { RequestContext, ServerParts } from '../route.ts'

export interface View {
  context: RequestContext
  parts: ServerParts
  access: Access
  /** The engine, limited to what the caller may see and, if the URL names a project, to that. */
  own: OwnMemories
  /** The project in the URL, or the one the caller is bound to; null: everything the caller may see. */
  project: string | null
  query(name: string): string | undefined
  param(name: string): string
  /** A form's field as typed; empty if it was not sent. */
  readForm(): Promise<(name: string) => string>
}

export function viewOf(context: RequestContext, parts: ServerParts, access: Access): View {
  const query = (name: string) => context.req.query(name)?.trim() || undefined
  const asked = query('project')
  const { projectId } = access.caller.identifiers
  // A project in the URL includes everything its agents recorded there.
  const isOther = asked !== undefined && asked !== projectId
  const claim = isOther ? { identifiers: { projectId: asked, agentId: EVERY_AGENT } } : {}
  return {
    context,
    parts,
    access,
    get own() {
      return access.own(claim)
    },
    project: asked ?? projectId ?? null,
    query,
    param: (name) => context.req.param(name)!,
    async readForm() {
      const form = await readForm(context)
      return (name) => (typeof form[name] === 'string' ? form[name] : '')
    },
  }
}

export function byId({ access }: View): OwnMemories {
  return access.byId()
}

/** Whether the caller may change this memory: the layers above its own are read-only. */
export function mayChange({ access }: View, memory: Memory): boolean {
  const { identifiers } = access.caller
  return access.may('write') && (Object.keys(identifiers).length === 0 || isWithin(identifiers, memory))
}

/** A page's URL with these parameters. The selected project is kept. */
export function href(
  { context }: Pick<View, 'context'>,
  path: string,
  parameters: Record<string, string | null | undefined> = {},
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...parameters, project: context.req.query('project') })) {
    if (value) query.set(name, value)
  }
  return query.size === 0 ? path : `${path}?${query}`
}

export function memoryPath(view: View, id: string, action = '', parameters = {}): string {
  return href(view, `/memories/${encodeURIComponent(id)}${action}`, parameters)
}

export function agentPath(view: View, name: string): string {
  return href(view, `/agents/${encodeURIComponent(name)}`)
}

export function sessionPath(view: View, id: string): string {
  return href(view, `/sessions/${encodeURIComponent(id)}`)
}

const ROWS = 50

export function pageAfter({ query }: View): { limit: number; cursor?: string } {
  const cursor = query('after')
  return { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) }
}
