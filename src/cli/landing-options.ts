import { LAYERS, type Layer } from '../model/layer.ts'
import type { FlagTable } from './command.ts'
import { invalid, oneOf } from './parse-flags.ts'

export const LANDING_OPTIONS = {
  '--layer <layer>': [
    'where memories go (default: facts to the project; learnings to the agent, with --agent)',
    oneOf(LAYERS, 'INVALID_LAYER'),
  ],
  '--private': 'keep everything with the agent, as --layer agent does',
} as const satisfies FlagTable

/** Undefined: each memory's usual place. */
export function landingOf(options: { layer?: Layer; private?: boolean }): Layer | undefined {
  if (!options.private) return options.layer
  if (options.layer !== undefined && options.layer !== 'agent') throw invalid('private', 'it means --layer agent')
  return 'agent'
}
