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

/** Who the agents are. One personality an agent, the same in every project. */
export interface Personalities {
  /** What is stored for this agent, or null. */
  get(agent: string, options?: Stoppable): Promise<Personality | null>
  /** What is stored, else the built-in default, else null. */
  profile(agent: string, options?: Stoppable): Promise<Profile | null>
  /**
   * Replaces the whole personality. Secrets in it are redacted. Text that would have its agent weaken a check, fetch and run, or give
   * something away is refused, unless it is meant so (`asIs`).
   */
  set(input: PersonalityInput, options?: { asIs?: boolean } & Stoppable): Promise<Personality>
  /** What is stored, by agent name. */
  list(options?: Stoppable): Promise<Personality[]>
  /** Forgets what is stored: a known agent has its default again. Idempotent. */
  delete(agent: string, options?: Stoppable): Promise<{ success: true }>
}

const agentArgument = z.strictObject({ agent: personalityInputSchema.shape.agentName })

export function personalities(core: Core, caller: Caller): Personalities {
  const { by, identifiers } = caller
  const { storage, attempt, now } = core
  /** A personality holds in every project, so nobody who is known by a project or an agent may change one. */
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
