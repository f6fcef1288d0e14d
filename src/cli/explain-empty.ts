import { shortName } from '../config/repository-name.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import type { Claim } from '../model/schema.ts'
import { commandLine } from './command-line.ts'
import type { ClaimOptions } from './identifiers.ts'
import { readKnownNames } from './known-names.ts'
import { didYouMean } from './suggest.ts'

const MOST_NAMED = 6

/** Why nothing was found, if a name is the reason: one that the store does not know, and the one that was probably meant. */
export async function explainUnknownNames(engine: Nokosu, options: ClaimOptions): Promise<string | null> {
  const { project, agent } = options
  if (project === undefined && (agent === undefined || agent === '*')) return null
  const { projects, agents } = await readKnownNames(engine)
  if (project !== undefined && !projects.some((name) => name === project || shortName(name) === project)) {
    return unknown('project', project, projects)
  }
  if (agent !== undefined && agent !== '*' && !agents.includes(agent)) return unknown('agent', agent, agents)
  return null
}

function unknown(kind: string, name: string, known: readonly string[]): string | null {
  if (known.length === 0) return null
  const more = known.length > MOST_NAMED ? ', ...' : ''
  const meant = didYouMean(name, known) ?? `This store has ${known.slice(0, MOST_NAMED).join(', ')}${more}.`
  return `Nothing is stored for the ${kind} ${name}. ${meant}`
}

/** Whose memories were asked for: `project shop`. */
export function whose({ identifiers = {}, everything }: Claim): string {
  if (everything) return 'the whole store'
  const names = Object.entries(identifiers).filter(([, value]) => value !== '*')
  return names.map(([name, value]) => `${name.replace(/Id$/, '')} ${value}`).join(', ')
}

/** The identifiers of a claim as flags, for a command to copy. */
export function claimFlags(options: ClaimOptions): string[] {
  const { all, agent, user, session, task, section, project, team, org, company } = options
  const given = { agent, user, session, task, section, project, team, org, company }
  return [
    ...(all ? ['--all'] : []),
    ...Object.entries(given).flatMap(([layer, value]) => (value === undefined ? [] : [`--${layer}`, value])),
  ]
}

export function firstMemory(options: ClaimOptions): string {
  const flags = options.all ? ['--project', 'shop'] : claimFlags(options)
  return commandLine('add', ...flags, 'The tests need Redis')
}
