import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { invalidInput } from '../model/errors.ts'
import { createOnce } from './create-once.ts'
import { readIfThere } from './repository.ts'
import { shortName } from './repository-name.ts'

/** The projects with data in a store's file. Empty if the file cannot be read or is not ours. */
function readKnownProjects(file: string): string[] {
  if (!existsSync(file)) return []
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const store = new DatabaseSync(file, { readOnly: true })
    try {
      const projects = "SELECT DISTINCT CASE layer WHEN 'project' THEN owner ELSE project END AS name FROM scopes"
      const rows = store.prepare(projects).all()
      return rows.flatMap(({ name }) => (typeof name === 'string' && name !== '' ? [name] : []))
    } finally {
      store.close()
    }
  } catch {
    return []
  }
}

/**
 * Resolves a project name within a store. A name that the store contains is used as it is. Otherwise a short name means the repository's own
 * project, or the only one that ends with it, as lists show it. If several match, it is ambiguous.
 */
export function meantProject(file: string | null, given: string, own: string | null): string {
  if (own !== null && isAlike(given, own)) return own
  if (file === null) return given
  const known = readKnownProjects(file)
  if (known.includes(given)) return given
  if (own !== null && fits(given, own)) return own
  const meant = known.filter((name) => fits(given, name))
  if (meant.length < 2) return meant[0] ?? given
  throw invalidInput('project', `Several projects are called ${given}: ${meant.join(', ')}.`, {
    candidates: meant,
    hint: 'Give the whole name of one.',
  })
}

function fits(given: string, name: string): boolean {
  return (
    name.toLowerCase().endsWith(`/${given.toLowerCase()}`) || isAlike(shortName(name), given) || isAlike(name, given)
  )
}

/** The name of a claim takes Node's cryptography, which costs more than a look at the folder. */
function hasClaims(file: string): boolean {
  try {
    return readdirSync(dirname(file)).some((name) => name.startsWith(`${basename(file)}-project-`))
  } catch {
    return true
  }
}

/** Project names that differ only in case are the same. */
export function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/**
 * The name by which a shared store knows a repository. Older versions used owner and name without the host. A store that has such a name keeps it
 * for the first repository that uses it, recorded in a file next to the store: a repository on another host must not share it.
 */
export function keptName(file: string | null, unique: string, former: string | null): string {
  if (file === null || former === null) return unique
  const claim = () => `${file}-project-${createHash('sha256').update(former).digest('hex').slice(0, 8)}`
  const claimed = hasClaims(file) ? readIfThere(claim())?.trim() : undefined
  if (claimed !== undefined) return claimed === unique ? former : unique
  const known = readKnownProjects(file)
  if (!known.includes(former) || known.includes(unique)) return unique
  try {
    return createOnce(claim(), `${unique}\n`) || readIfThere(claim())?.trim() === unique ? former : unique
  } catch {
    // Without write access the process only reads, and should see what there is.
    return former
  }
}
