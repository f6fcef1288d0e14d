import { type Category, isLearning } from './categories.ts'
import { type Identifiers, inferLayer, type Layer } from './layer.ts'

/**
 * The layer of an observation if nothing names one. A fact belongs to the project, whichever agent found it, so that
 * every agent there knows it. What an agent learned about its own work stays with that agent; with `isPrivate`,
 * everything else does too.
 */
export function landingLayer(category: Category, identifiers: Identifiers, isPrivate = false): Layer {
  const stays = identifiers.agentId !== undefined && (isPrivate || isLearning({ category }))
  return stays ? 'agent' : inferLayer(identifiers)
}

/**
 * Metadata key of an agent's own notes that other agents of the project may see. Only the engine sets it, on notes that
 * came without a layer: a note put into the agent layer by name is for that agent alone.
 */
export const SHARED_NOTE = 'sharedNote'
