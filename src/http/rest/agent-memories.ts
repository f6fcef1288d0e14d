import { z } from 'zod'
import type { OwnMemories } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { identifiersSchema } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { type Memory, memorySchema } from '../../model/memory.ts'
import { everyPage } from '../../model/page.ts'
import type { Access } from '../access.ts'
import { checked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import type { Route } from '../route.ts'
import { projectNeeded } from './answers.ts'

/** The newest memories that an agent is shown of a project. */
const MOST_LISTED = 50

const itemSchema = z.strictObject({
  ...memorySchema.pick({ id: true, content: true, source: true, trust: true, createdAt: true }).shape,
  agentName: z.string(),
  projectId: z.string().nullable(),
})
const projectQuery = identifiersSchema.pick({ projectId: true })
/** With `exact` it is a separate memory, whatever is known. */
const newBody = z.strictObject({
  ...projectQuery.shape,
  content: memorySchema.shape.content,
  exact: z.boolean().optional(),
})
const endpoint = endpointsOf('Agents')

export const agentMemoryRoutes: readonly Route[] = [
  endpoint('listAgentMemories', 'GET /api/agents/:agentName/memories', 'read', {
    summary: 'The 50 newest memories of an agent in a project',
    query: projectQuery,
    answer: [200, 'Newest first', z.array(itemSchema)],
    async run({ access, claim, param }) {
      const { memory, projectId } = open(access, param('agentName'), claim.identifiers?.projectId)
      const found: Memory[] = []
      for await (const page of pages(memory, projectId, false)) {
        found.push(...page)
        if (found.length >= MOST_LISTED) break
      }
      return found.slice(0, MOST_LISTED).map(toItem)
    },
  }),
  endpoint('addAgentMemory', 'POST /api/agents/:agentName/memories', 'write', {
    summary: 'Adds a memory of an agent in a project: repeats reinforce, corrections correct',
    body: { ...checked(newBody), schema: newBody.required({ projectId: true }) },
    answer: [201, 'The memory', itemSchema],
    async run({ context, access, body: { content, projectId, exact = false }, param, once }) {
      const { memory } = open(access, param('agentName'), projectId)
      const added = await memory.add({ layer: 'agent', content, source: 'manual', exact }, await once())
      context.header('location', `/api/memories/${added.memory.id}`)
      return toItem(added.memory)
    },
  }),
  endpoint('deleteAgentMemories', 'DELETE /api/agents/:agentName/memories', 'write', {
    summary: 'Deletes all memories of an agent in a project',
    query: projectQuery,
    answer: [204, 'They are deleted', null],
    async run({ access, claim, param }) {
      const { memory, projectId } = open(access, param('agentName'), claim.identifiers?.projectId)
      const ids: string[] = []
      for await (const page of pages(memory, projectId, true)) ids.push(...page.map(({ id }) => id))
      for (let i = 0; i < ids.length; i += LIMITS.bulk) {
        const { failed } = await memory.bulkDelete(ids.slice(i, i + LIMITS.bulk))
        if (failed.length > 0) {
          throw new MemoryError('PROVIDER_ERROR', 'Some memories could not be deleted.', { details: { failed } })
        }
      }
    },
  }),
  endpoint('deleteAgentMemory', 'DELETE /api/agents/:agentName/memories/:id', 'write', {
    summary: 'Deletes a memory of an agent; succeeds if it does not exist',
    answer: [204, 'It is deleted', null],
    async run({ access, param }) {
      const own = access.byId()
      const memory = await own.get(param('id'))
      if (memory?.layer === 'agent' && memory.identifiers.agentId === param('agentName')) await own.delete(memory.id)
    },
  }),
]

function open(access: Access, agentId: string, projectId: string | undefined) {
  if (projectId === undefined) throw projectNeeded()
  return { memory: access.memory({ identifiers: { agentId, projectId } }), projectId }
}

/** The agent's memories of just this project, newest first. */
async function* pages(memory: OwnMemories, projectId: string, includeInactive: boolean): AsyncGenerator<Memory[]> {
  const asked = { layers: ['agent' as const], limit: LIMITS.listLimit, includeInactive }
  for await (const page of everyPage((from) => memory.list({ ...asked, ...from }))) {
    yield page.memories.filter(({ identifiers }) => identifiers.projectId === projectId)
  }
}

function toItem({ id, identifiers, content, source, trust, createdAt }: Memory): z.output<typeof itemSchema> {
  const { agentId, projectId } = identifiers
  return { id, agentName: agentId ?? '', projectId: projectId ?? null, content, source, trust, createdAt }
}
