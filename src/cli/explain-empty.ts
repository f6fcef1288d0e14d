import { shortName } from '../config/repository-name.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import { MemoryError } from '../model/errors.ts'
import { EVERY_AGENT } from '../model/layer.ts'
import type { Claim } from '../model/schema.ts'
import { didYouMean } from '../model/suggest.ts'
import { commandLine, quote } from './command-line.ts'
import { type ClaimOptions, type KnownProject, WITHIN_PROJECT } from './identifiers.ts'
import { readKnownNames } from './known-names.ts'
import { shell } from './shell.ts'

const MOST_NAMED = 6

/** Explains an empty result if a name is the cause: one unknown to the store, with the name that was probably meant. */
export async function explainUnknownNames(
  engine: Nokosu,
  options: ClaimOptions,
  known: KnownProject = {},
): Promise<string | null> {
  const { project, agent } = options
  if (known.project !== undefined && claimFlags(options).length === 0) return explainElsewhere(engine, known.project)
  if (project === undefined && (agent === undefined || agent === '*')) return null
  const { projects, agents } = await readKnownNames(engine)
  if (project !== undefined && !projects.some((name) => name === project || shortName(name) === project)) {
    return unknown('project', project, projects)
  }
  if (agent !== undefined && agent !== '*' && !agents.includes(agent)) return unknown('agent', agent, agents)
  return null
}

/** If no project was named and the current one is empty, tells how many memories the store has, but not which. */
async function explainElsewhere(engine: Nokosu, own: string): Promise<string | null> {
  // An agent inside its run is not told about other projects.
  if (shell().env.NOKOSU_SESSION) return null
  const count = async (projectId: string) => {
    const identifiers = { projectId, agentId: EVERY_AGENT, taskId: EVERY_AGENT, sectionId: EVERY_AGENT }
    return (await engine.list({ identifiers, layers: [...WITHIN_PROJECT], limit: 1 })).totalCount
  }
  try {
    if ((await count(own)) > 0) return null
    const others = (await readKnownNames(engine)).projects.filter((name) => name !== own).slice(0, MOST_NAMED)
    const counted = await Promise.all(others.map(async (name) => ({ name, memories: await count(name) })))
    const found = counted.filter(({ memories }) => memories > 0)
    if (found.length === 0) return null
    const where = found.map(({ name, memories }) => `${memories} of project ${name}`).join(', ')
    const flag = `--project ${found.length === 1 ? quote(found[0]!.name) : 'NAME'}`
    return `No memories of project ${own} here; the store has ${where}: ${flag}`
  } catch (error) {
    // A bound token cannot ask what else exists.
    if (MemoryError.is(error) && error.code === 'UNAUTHORIZED') return null
    throw error
  }
}

function unknown(kind: string, name: string, known: readonly string[]): string | null {
  if (known.length === 0) return null
  const more = known.length > MOST_NAMED ? ', ...' : ''
  const meant = didYouMean(name, known) ?? `This store has ${known.slice(0, MOST_NAMED).join(', ')}${more}.`
  return `Nothing is stored for the ${kind} ${name}. ${meant}`
}

/** Whose memories were requested: `project shop`. */
export function whose({ identifiers = {}, everything }: Claim): string {
  if (everything) return 'the whole store'
  const names = Object.entries(identifiers).filter(([, value]) => value !== '*')
  return names.map(([name, value]) => `${name.replace(/Id$/, '')} ${value}`).join(', ')
}

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
