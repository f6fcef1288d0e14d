import { type Category, isLearning } from './categories.ts'
import { type Identifiers, inferLayer, type Layer } from './layer.ts'

/**
 * The layer of an observation when nobody names one. A fact is the project's, whoever found it, so that every agent there knows it; what an
 * agent learned about its own work stays with that agent. `isPrivate`: so does everything else.
 */
export function landingLayer(category: Category, identifiers: Identifiers, isPrivate = false): Layer {
  const stays = identifiers.agentId !== undefined && (isPrivate || isLearning({ category }))
  return stays ? 'agent' : inferLayer(identifiers)
}

/**
 * In the metadata of what an agent noted for itself without being asked to keep it to itself: recall may show it to other agents of the
 * project. Only the engine sets it, where nobody named a layer: what was put into the agent's layer by name is for that agent alone.
 */
export const SHARED_NOTE = 'sharedNote'
