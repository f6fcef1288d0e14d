import { z } from 'zod'
import { MemoryError } from '../../model/errors.ts'
import { BUILT_IN_AGENTS, personalityInputSchema, personalitySchema, profileSchema } from '../../model/personality.ts'
import { readFields } from '../request.ts'
import type { RequestContext, Route } from '../route.ts'
import { notThere } from './answers.ts'

const tag = 'Agents'
const path = '/api/agents/:agentName/personality'
const bodySchema = personalityInputSchema.partial({ agentName: true })

/** Who the agents are. A personality holds in every project, so changing one is for admins. */
export function personalityRoutes(memory: {
  personality: import('../../engine/personalities.ts').Personalities
}): Route[] {
  const { personality } = memory
  return [
    {
      method: 'GET',
      path: '/api/agents',
      needs: 'read',
      summary: 'The agents that have a personality, stored or built in',
      api: {
        operation: 'listAgents',
        tag,
        answers: {
          200: { description: 'By name; updatedAt is null for one that is built in', schema: z.array(profileSchema) },
        },
      },
      async handle(context) {
        const stored = await personality.list()
        const others = BUILT_IN_AGENTS.filter((name) => !stored.some(({ agentName }) => agentName === name))
        const builtIn = await Promise.all(others.map((name) => personality.profile(name)))
        const all = [...stored, ...builtIn.filter((profile) => profile !== null)]
        return context.json(all.sort((a, b) => (a.agentName < b.agentName ? -1 : 1)))
      },
    },
    {
      method: 'GET',
      path: '/api/agents/:agentName/profile',
      needs: 'read',
      summary: 'Who an agent is: what is stored, else what is built in',
      api: {
        operation: 'getProfile',
        tag,
        answers: { 200: { description: 'The profile', schema: profileSchema } },
      },
      async handle(context) {
        const agentName = agentOf(context)
        const found = await personality.profile(agentName)
        if (!found) throw notThere(`profile of ${agentName}`, { agentName })
        return context.json(found)
      },
    },
    {
      method: 'GET',
      path,
      needs: 'read',
      summary: 'The stored personality of an agent',
      api: {
        operation: 'getPersonality',
        tag,
        answers: { 200: { description: 'The personality', schema: personalitySchema } },
      },
      async handle(context) {
        const agentName = agentOf(context)
        const found = await personality.get(agentName)
        if (!found) throw notThere(`stored personality of ${agentName}`, { agentName })
        return context.json(found)
      },
    },
    {
      method: 'PUT',
      path,
      needs: 'admin',
      summary: 'Sets the personality of an agent, in all projects',
      api: {
        operation: 'setPersonality',
        tag,
        body: bodySchema,
        answers: { 200: { description: 'The personality', schema: personalitySchema } },
      },
      async handle(context) {
        const agentName = agentOf(context)
        const body = await readFields(context, bodySchema)
        if (body.agentName !== undefined && body.agentName !== agentName) {
          throw new MemoryError('INVALID_INPUT', 'Invalid agentName: the address names another agent.', {
            details: { field: 'agentName' },
          })
        }
        return context.json(
          await context
            .get('access')
            .own()
            .personality.set({ ...body, agentName }),
        )
      },
    },
    {
      method: 'DELETE',
      path,
      needs: 'admin',
      summary: 'Forgets the stored personality of an agent',
      api: { operation: 'deletePersonality', tag, answers: { 204: { description: 'It is gone', schema: null } } },
      async handle(context) {
        await context.get('access').own().personality.delete(agentOf(context))
        return context.body(null, 204)
      },
    },
  ]
}

function agentOf({ req }: RequestContext): string {
  return req.param('agentName')!
}
