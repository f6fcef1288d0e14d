import type { Command } from 'commander'
import { IDENTIFIER_NAMES, type Identifiers, LAYERS, type Layer, REQUIRED_IDENTIFIER } from '../model/layer.ts'

/** `--project` sets `projectId`: every layer's name is the flag of its identifier. */
const MEANINGS: Record<Layer, string> = {
  agent: 'the agent',
  user: 'the user',
  session: 'the session',
  task: 'the task',
  section: 'the section',
  project: 'the project',
  team: 'the team',
  org: 'the organisation',
  company: 'the company',
}

export type IdentifierOptions = Partial<Record<Layer, string>>

/** Adds `--agent ID` to `--company ID`, or those of the given layers. */
export function addIdentifierOptions(command: Command, layers: readonly Layer[] = LAYERS): Command {
  command.optionsGroup('Who and what it belongs to:')
  for (const layer of layers) command.option(`--${layer} <id>`, MEANINGS[layer])
  return command.optionsGroup('Options:')
}

export function readIdentifiers(options: IdentifierOptions): Identifiers {
  const identifiers: Identifiers = {}
  for (const layer of LAYERS) {
    const value = options[layer]
    if (value !== undefined) identifiers[REQUIRED_IDENTIFIER[layer]] = value
  }
  return identifiers
}

/** The nearest layer whose identifier is given, for a memory whose layer was not said. */
export function nearestLayer(identifiers: Identifiers): Layer | undefined {
  return LAYERS.find((layer) => identifiers[REQUIRED_IDENTIFIER[layer]] !== undefined)
}

/** The flag that sets an identifier, for hints: `projectId` is `--project`. */
export function flagOf(identifier: unknown): string | null {
  const position = IDENTIFIER_NAMES.indexOf(identifier as (typeof IDENTIFIER_NAMES)[number])
  return position < 0 ? null : `--${LAYERS[position]}`
}
