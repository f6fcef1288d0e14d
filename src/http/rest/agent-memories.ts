import { z } from 'zod'
import type { OwnMemories } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { exactTimeSchema, identifiersSchema, idSchema } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { type Memory, memorySchema } from '../../model/memory.ts'
import { readBody, readQuery, repeatable } from '../request.ts'
import type { RequestContext, Route } from '../route.ts'

/** The newest that an agent is shown of a project. */
const MOST_LISTED = 50

const name = identifiersSchema.shape.projectId
const itemSchema = z.strictObject({
  id: idSchema,
  agentName: z.string(),
  projectId: z.string().nullable(),
  content: memorySchema.shape.content,
  source: memorySchema.shape.source,
  trust: memorySchema.shape.trust,
  createdAt: exactTimeSchema,
})
const projectQuery = z.strictObject({ projectId: name })
const newBody = z.strictObject({ projectId: name, content: memorySchema.shape.content })
const tag = 'Agents'

/** An agent's memories of a project. */
export function agentMemoryRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/agents/:agentName/memories',
      needs: 'read',
      summary: 'The 50 newest memories of an agent in a project',
      api: {
        operation: 'listAgentMemories',
        tag,
        query: projectQuery,
        answers: { 200: { description: 'Newest first', schema: z.array(itemSchema) } },
      },
      async handle(context) {
        const { memory, projectId } = open(context, readQuery(context, projectQuery))
        const found: Memory[] = []
        for await (const page of pages(memory, projectId, false)) {
          found.push(...page)
          if (found.length >= MOST_LISTED) break
        }
        return context.json(found.slice(0, MOST_LISTED).map(toItem))
      },
    },
    {
      method: 'POST',
      path: '/api/agents/:agentName/memories',
      needs: 'write',
      summary: 'Adds a memory of an agent in a project',
      api: {
        operation: 'addAgentMemory',
        tag,
        body: newBody.required(),
        answers: { 201: { description: 'The memory', schema: itemSchema } },
      },
      async handle(context) {
        const { content, ...claim } = await readBody(context, newBody)
        const { memory } = open(context, claim)
        const added = await memory.add({ layer: 'agent', content, source: 'manual' }, await repeatable(context))
        return context.json(toItem(added.memory), 201, { location: `/api/memories/${added.memory.id}` })
      },
    },
    {
      method: 'DELETE',
      path: '/api/agents/:agentName/memories',
      needs: 'write',
      summary: 'Deletes all memories of an agent in a project',
      api: {
        operation: 'deleteAgentMemories',
        tag,
        query: projectQuery,
        answers: { 204: { description: 'They are gone', schema: null } },
      },
      async handle(context) {
        const { memory, projectId } = open(context, readQuery(context, projectQuery))
        const ids: string[] = []
        for await (const page of pages(memory, projectId, true)) ids.push(...page.map(({ id }) => id))
        for (let i = 0; i < ids.length; i += LIMITS.bulk) {
          const { failed } = await memory.bulkDelete(ids.slice(i, i + LIMITS.bulk))
          if (failed.length > 0) {
            throw new MemoryError('PROVIDER_ERROR', 'Some memories could not be deleted.', { details: { failed } })
          }
        }
        return context.body(null, 204)
      },
    },
    {
      method: 'DELETE',
      path: '/api/agents/:agentName/memories/:id',
      needs: 'write',
      summary: 'Deletes a memory of an agent; an unknown one is gone already',
      api: {
        operation: 'deleteAgentMemory',
        tag,
        answers: { 204: { description: 'It is gone', schema: null } },
      },
      async handle(context) {
        const own = context.get('access').byId()
        const id = context.req.param('id')!
        const memory = await own.get(id)
        if (memory?.layer === 'agent' && memory.identifiers.agentId === context.req.param('agentName')) {
          await own.delete(id)
        }
        return context.body(null, 204)
      },
    },
  ]
}

function open(context: RequestContext, { projectId }: { projectId?: string }) {
  if (projectId === undefined) {
    throw new MemoryError('MISSING_IDENTIFIER', 'Say in which project: give projectId.', {
      details: { identifier: 'projectId' },
    })
  }
  const agentId = context.req.param('agentName')!
  return { memory: context.get('access').memory({ identifiers: { agentId, projectId } }), projectId }
}

/** The agent's memories of just this project, newest first. */
async function* pages(memory: OwnMemories, projectId: string, includeInactive: boolean): AsyncGenerator<Memory[]> {
  let cursor: string | null = null
  do {
    const from: { cursor?: string } = cursor === null ? {} : { cursor }
    const page = await memory.list({ layers: ['agent'], limit: LIMITS.listLimit, includeInactive, ...from })
    yield page.memories.filter(({ identifiers }) => identifiers.projectId === projectId)
    cursor = page.nextCursor
  } while (cursor !== null)
}

function toItem({ id, identifiers, content, source, trust, createdAt }: Memory): z.output<typeof itemSchema> {
  const { agentId, projectId } = identifiers
  return { id, agentName: agentId ?? '', projectId: projectId ?? null, content, source, trust, createdAt }
}
