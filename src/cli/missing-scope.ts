import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { typedWith } from './command-line.ts'
import { readKnownNames } from './known-names.ts'

/**
 * The one rule for a missing scope: the flags name the owner, otherwise the current project does, otherwise this error. `all`: the
 * command can read the whole store.
 */
export function missingScope({ all, field = 'projectId' }: { all: boolean; field?: string }): MemoryError {
  return new MemoryError('MISSING_IDENTIFIER', 'No project is given.', {
    details: { identifier: field, scope: all ? 'all' : 'project', hint: toHint([], all) },
  })
}

/** The same error, listing the store's projects. */
export async function nameProjects(error: unknown, engine: Nokosu): Promise<unknown> {
  if (!MemoryError.is(error) || error.code !== 'MISSING_IDENTIFIER' || error.details.scope === undefined) return error
  const { projects } = await readKnownNames(engine)
  if (projects.length === 0) return error
  const { code, message, details } = error
  return new MemoryError(code, message, { details: { ...details, hint: toHint(projects, details.scope === 'all') } })
}

const MOST_NAMED = 6

function toHint(projects: readonly string[], all: boolean): string {
  const [first] = projects
  const more = projects.length > MOST_NAMED ? ', ...' : ''
  const known = first === undefined ? '' : ` This store has ${projects.slice(0, MOST_NAMED).join(', ')}${more}.`
  const whole = all ? ` Or read the whole store with --all.` : ''
  return (
    `Name it:\n  ${typedWith('--project', first ?? 'NAME')}\n` +
    `In a git repository, or with NOKOSU_PROJECT set, it is detected.${known}${whole}`
  )
}
