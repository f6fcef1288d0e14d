import { z } from 'zod'
import { invalidInput } from '../../model/errors.ts'
import { personalityInputSchema, personalitySchema, profileSchema } from '../../model/personality.ts'
import { unchecked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { listProfiles } from '../list-profiles.ts'
import type { Route, ServerParts } from '../route.ts'
import { notThere } from './answers.ts'

const endpoint = endpointsOf('Agents')

/** The agents' personalities. A personality applies in every project, so changing one is for admins. */
export function personalityRoutes({ memory: { personality } }: Pick<ServerParts, 'memory'>): Route[] {
  return [
    endpoint('listAgents', 'GET /api/agents', 'read', {
      summary: 'The agents that have a personality, stored or built in',
      answer: [200, 'By name; updatedAt is null for a built-in one', z.array(profileSchema)],
      run: () => listProfiles(personality),
    }),
    endpoint('getProfile', 'GET /api/agents/:agentName/profile', 'read', {
      summary: 'The profile of an agent: the stored one, else the built-in one',
      answer: [200, 'The profile', profileSchema],
      async run({ param }) {
        const agentName = param('agentName')
        const found = await personality.profile(agentName)
        if (!found) throw notThere(`profile of ${agentName}`, { agentName })
        return found
      },
    }),
    endpoint('getPersonality', 'GET /api/agents/:agentName/personality', 'read', {
      summary: 'The stored personality of an agent',
      answer: [200, 'The personality', personalitySchema],
      async run({ param }) {
        const agentName = param('agentName')
        const found = await personality.get(agentName)
        if (!found) throw notThere(`stored personality of ${agentName}`, { agentName })
        return found
      },
    }),
    endpoint('setPersonality', 'PUT /api/agents/:agentName/personality', 'admin', {
      summary: 'Sets the personality of an agent, in all projects',
      body: unchecked(personalityInputSchema.partial({ agentName: true })),
      answer: [200, 'The personality', personalitySchema],
      run({ access, body, param }) {
        const agentName = param('agentName')
        if (body.agentName !== undefined && body.agentName !== agentName) {
          throw invalidInput('agentName', 'Invalid agentName: the address names another agent.')
        }
        return access.own().personality.set({ ...body, agentName })
      },
    }),
    endpoint('deletePersonality', 'DELETE /api/agents/:agentName/personality', 'admin', {
      summary: 'Deletes the stored personality of an agent',
      answer: [204, 'It is deleted', null],
      run: ({ access, param }) => access.own().personality.delete(param('agentName')),
    }),
  ]
}
