import { z } from 'zod'
import { MemoryError } from '../model/errors.ts'
import { parseInput } from '../model/parse.ts'
import {
  defaultProfile,
  type Personality,
  type PersonalityInput,
  type Profile,
  personalityInputSchema,
} from '../model/personality.ts'
import type { Stoppable } from '../model/provider.ts'
import type { Caller, Core } from './core.ts'
import { requireOperator } from './operator.ts'
import { commitAll } from './write.ts'

/** Agents' personalities. One per agent, the same in every project. */
export interface Personalities {
  /** The stored personality of this agent, or null. */
  get(agent: string, options?: Stoppable): Promise<Personality | null>
  /** The stored personality, otherwise the built-in default, otherwise null. */
  profile(agent: string, options?: Stoppable): Promise<Profile | null>
  /**
   * Replaces the whole personality. Redacts secrets. Refuses text that would make its agent weaken a check, fetch and run, or leak
   * something, unless confirmed (`asIs`).
   */
  set(input: PersonalityInput, options?: { asIs?: boolean } & Stoppable): Promise<Personality>
  /** All stored personalities, by agent name. */
  list(options?: Stoppable): Promise<Personality[]>
  /** Deletes the stored personality, so that a built-in default applies again. Idempotent. */
  delete(agent: string, options?: Stoppable): Promise<{ success: true }>
}

const agentArgument = z.strictObject({ agent: personalityInputSchema.shape.agentName })

export function personalities(core: Core, caller: Caller): Personalities {
  const { by, identifiers } = caller
  const { storage, attempt, now } = core
  /** A personality applies in every project, so callers bound to a project or an agent may not change it. */
  const requireNobody = (operation: string) => {
    requireOperator(core, caller, 'changes personalities')
    if (identifiers === null) return
    throw new MemoryError('UNAUTHORIZED', 'Only an operator changes personalities.', { operation })
  }
  const get = async (agent: string, operation: string) => {
    parseInput(agentArgument, { agent }, operation)
    return (await attempt(() => storage.documents('personality', [agent])))[0] ?? null
  }
  return {
    get: (agent) => get(agent, 'personality.get'),
    profile: async (agent) => (await get(agent, 'personality.profile')) ?? defaultProfile(agent),
    async set(input, { asIs = false } = {}) {
      requireNobody('personality.set')
      const parsed = parseInput(personalityInputSchema, input, 'personality.set')
      const { guardPersonality } = await import('./guard-personality.ts')
      const personality: Personality = { ...guardPersonality(parsed, asIs), updatedAt: now().toISOString() }
      await commitAll(core, { by, writes: [{ kind: 'put', collection: 'personality', document: personality }] })
      return personality
    },
    list: () => attempt(() => storage.documents('personality')),
    async delete(agent) {
      requireNobody('personality.delete')
      parseInput(agentArgument, { agent }, 'personality.delete')
      await commitAll(core, { by, writes: [{ kind: 'remove', collection: 'personality', key: agent }] })
      return { success: true }
    },
  }
}
