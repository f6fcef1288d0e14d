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
import type { Caller, Core } from './core.ts'
import { commitAll } from './write.ts'

/** Who the agents are. One personality an agent, the same in every project. */
export interface Personalities {
  /** What is stored for this agent, or null. */
  get(agent: string): Promise<Personality | null>
  /** What is stored, else the built-in default, else null. */
  profile(agent: string): Promise<Profile | null>
  /** Replaces the whole personality. Secrets in it are redacted. */
  set(input: PersonalityInput): Promise<Personality>
  /** What is stored, by agent name. */
  list(): Promise<Personality[]>
  /** Forgets what is stored: a known agent has its default again. Idempotent. */
  delete(agent: string): Promise<{ success: true }>
}

const agentArgument = z.strictObject({ agent: personalityInputSchema.shape.agentName })

export function personalities(core: Core, { by, identifiers }: Caller): Personalities {
  const { storage, attempt, now } = core
  /** A personality holds in every project, so nobody who is known by a project or an agent may change one. */
  const requireOperator = (operation: string) => {
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
    async set(input) {
      requireOperator('personality.set')
      const parsed = parseInput(personalityInputSchema, input, 'personality.set')
      const { redactSecrets } = await import('../guard/redact-secrets.ts')
      const personality: Personality = {
        agentName: parsed.agentName,
        displayName: redactSecrets(parsed.displayName).text,
        persona: redactSecrets(parsed.persona).text,
        traits: parsed.traits.map((trait) => redactSecrets(trait).text),
        communicationStyle: redactSecrets(parsed.communicationStyle).text,
        updatedAt: now().toISOString(),
      }
      await commitAll(core, { by, writes: [{ kind: 'put', collection: 'personality', document: personality }] })
      return personality
    },
    list: () => attempt(() => storage.documents('personality')),
    async delete(agent) {
      requireOperator('personality.delete')
      parseInput(agentArgument, { agent }, 'personality.delete')
      await commitAll(core, { by, writes: [{ kind: 'remove', collection: 'personality', key: agent }] })
      return { success: true }
    },
  }
}
