import { type Command, Option } from 'commander'
import {
  EVERY_AGENT,
  IDENTIFIER_NAMES,
  type Identifiers,
  inferLayer,
  LAYERS,
  type Layer,
  REQUIRED_IDENTIFIER,
} from '../model/layer.ts'
import type { Claim } from '../model/schema.ts'
import { missingScope } from './missing-scope.ts'
import { shell } from './shell.ts'

/** `--project` sets `projectId`: each layer's name is the flag for its identifier. */
const MEANINGS: Record<Layer, string> = {
  agent: 'the agent',
  user: 'the user',
  session: 'the session',
  task: 'the task',
  section: 'the section',
  project: 'the project (default: NOKOSU_PROJECT, the configuration’s, the repository)',
  team: 'the team',
  org: 'the organisation',
  company: 'the company',
}

export const PROJECT_OPTION = { '--project <id>': MEANINGS.project } as const

export type IdentifierOptions = Partial<Record<Layer, string>>

export interface ClaimOptions extends IdentifierOptions {
  all?: boolean
}

export interface KnownProject {
  project?: string | undefined
}

/** Adds `--agent ID` to `--company ID`, or those of the given layers; `claim`: all of them, or `--all` instead. */
export function addIdentifierOptions(command: Command, layers: readonly Layer[] | 'claim'): void {
  command.optionsGroup('Identifiers:')
  for (const layer of layers === 'claim' ? LAYERS : layers) command.option(`--${layer} <id>`, MEANINGS[layer])
  if (layers === 'claim') {
    command.addOption(new Option('--all', 'the whole store, instead of identifiers').conflicts([...LAYERS]))
  }
  command.optionsGroup('Options:')
}

/** If one of these flags is given, the default project does not apply. */
const REPLACES_PROJECT: readonly Layer[] = ['team', 'org', 'company']

export function readIdentifiers(options: IdentifierOptions, { project }: KnownProject = {}): Identifiers {
  const identifiers: Identifiers = {}
  for (const layer of LAYERS) {
    const value = options[layer]
    if (value !== undefined) identifiers[REQUIRED_IDENTIFIER[layer]] = value
  }
  const replaced = options.project === undefined && REPLACES_PROJECT.some((layer) => options[layer] !== undefined)
  if (project !== undefined && !replaced) identifiers.projectId = project
  return identifiers
}

export const WITHIN_PROJECT: readonly Layer[] = ['agent', 'task', 'section', 'project']

/** The layer for something new: the project's if known, except that a user or session named alone is not part of a project. */
export function defaultLayer(options: IdentifierOptions, known: KnownProject): Layer {
  const named = inferLayer(readIdentifiers(options))
  return WITHIN_PROJECT.includes(named) ? inferLayer(readIdentifiers(options, known)) : named
}

/** The owner of something new. What an agent records belongs to a project: without one, every project would see it. */
export function readOwner(options: IdentifierOptions, known: KnownProject): Identifiers {
  const identifiers = readIdentifiers(options, known)
  const names = Object.keys(identifiers)
  if (names.length > 0 && (identifiers.agentId === undefined || identifiers.projectId !== undefined)) return identifiers
  throw missingScope({ all: false })
}

/** The reader: the identifiers of the flags and the default project, or everything with `--all`. */
export function readClaim(options: ClaimOptions, project: KnownProject): Claim {
  if (options.all) return { everything: true }
  const identifiers = readIdentifiers(options, project)
  if (Object.keys(identifiers).length > 0) return { identifiers }
  throw missingScope({ all: true })
}

const FROM_PROJECT_UPWARD: ReadonlySet<string> = new Set(['projectId', 'teamId', 'orgId', 'companyId'])

const EVERYBODY = { agentId: EVERY_AGENT, taskId: EVERY_AGENT, sectionId: EVERY_AGENT } as const

/** The reader of single memories. A project alone gives access to everything in it, whoever recorded it, in whichever task. */
export function readOnlooker(options: ClaimOptions, known: KnownProject): Claim {
  const claim = readClaim(options, known)
  const { identifiers } = claim
  // Inside a run the reader is an agent and sees what its searches would find.
  if (shell().env.NOKOSU_SESSION) return claim
  if (identifiers?.projectId === undefined) return claim
  const alone = Object.keys(identifiers).every((name) => FROM_PROJECT_UPWARD.has(name))
  return alone ? { identifiers: { ...identifiers, ...EVERYBODY } } : claim
}

/** The flag for an identifier, for hints: `projectId` is `--project`. */
export function flagOf(identifier: unknown): string | null {
  const position = IDENTIFIER_NAMES.indexOf(identifier as (typeof IDENTIFIER_NAMES)[number])
  return position < 0 ? null : `--${LAYERS[position]}`
}
