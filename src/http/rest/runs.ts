import { z } from 'zod'
import { workflowEventSchema as eventInput } from '../../capture/workflow-event.ts'
import { schemas } from '../../engine/schemas.ts'
import { idSchema } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { memorySchema } from '../../model/memory.ts'
import { injectionSchema, sessionSchema } from '../../model/records.ts'
import { HttpError } from '../errors.ts'
import { claimOnly, pageQuery, readClaimed, readFields, readQuery, repeatable, splitClaim } from '../request.ts'
import type { Route } from '../route.ts'
import { notThere } from './answers.ts'

const told = { session: idSchema.optional(), dryRun: z.boolean().optional() }
const eventBody = z.union(eventInput.options.map((option) => option.extend(told)))
const [plainContext, queryContext] = schemas.context.input.options
const contextBody = z.union([plainContext.omit({ key: true }), queryContext.omit({ key: true })])
const sessionAnswer = z.strictObject({
  session: sessionSchema,
  /** What it was shown, in order; `memory` is null when that is gone, or not for the caller. */
  shown: z.array(
    z.strictObject({ ...injectionSchema.omit({ memory: true }).shape, id: idSchema, memory: memorySchema.nullable() }),
  ),
  /** What it left, newest first. */
  left: z.array(memorySchema),
})
const tag = 'Runs'

/** A page of events or of runs, for whoever asks. */
function listPage(kind: 'events' | 'sessions'): Route['handle'] {
  return async (context) => {
    const { claim, rest } = splitClaim(readQuery(context, pageQuery))
    return context.json(await context.get('access').memory(claim)[kind](rest))
  }
}

/** What runs are shown, and what happens in them. */
export function runRoutes(): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/context',
      needs: 'read',
      summary:
        'The block of memories that an agent is shown. With `session` the showing is recorded, which needs write.',
      api: {
        operation: 'getContext',
        tag,
        body: contextBody,
        answers: { 200: { description: 'The block, and what was left out and why', schema: schemas.context.output } },
      },
      async handle(context) {
        const { claim, rest } = await readClaimed(context, contextBody)
        const access = context.get('access')
        if (rest.session !== undefined && !access.may('write')) {
          throw new HttpError(
            403,
            'UNAUTHORIZED',
            'Recording a showing needs a token of scope write; leave session out.',
            {
              details: { scope: 'write', field: 'session' },
            },
          )
        }
        return context.json(await access.memory(claim).context({ ...rest, ...(await repeatable(context)) }))
      },
    },
    {
      method: 'POST',
      path: '/api/events',
      needs: 'write',
      summary: 'Reports an event of a workflow, and has remembered what is worth it',
      api: {
        operation: 'recordEvent',
        tag,
        body: eventBody,
        answers: { 201: { description: 'What became of it', schema: schemas.record.output } },
      },
      async handle(context) {
        const { session, dryRun, ...event } = await readFields(context, eventBody)
        const { projectId } = event
        const identifiers = typeof projectId === 'string' ? { projectId } : {}
        const options = {
          ...(session === undefined ? {} : { session }),
          ...(dryRun === undefined ? {} : { dryRun }),
          ...(await repeatable(context)),
        }
        const memory = context.get('access').memory({ identifiers })
        return context.json(await memory.record(event, options), 201)
      },
    },
    {
      method: 'GET',
      path: '/api/events',
      needs: 'read',
      summary: 'Lists events of workflows, newest first',
      api: {
        operation: 'listEvents',
        tag,
        query: pageQuery,
        answers: { 200: { description: 'A page', schema: schemas.events.output } },
      },
      handle: listPage('events'),
    },
    {
      method: 'GET',
      path: '/api/sessions',
      needs: 'read',
      summary: 'Lists runs, newest first',
      api: {
        operation: 'listSessions',
        tag,
        query: pageQuery,
        answers: { 200: { description: 'A page', schema: schemas.sessions.output } },
      },
      handle: listPage('sessions'),
    },
    {
      method: 'GET',
      path: '/api/sessions/:id',
      needs: 'read',
      summary: 'One run: what it was shown and what it left',
      api: {
        operation: 'getSession',
        tag,
        query: claimOnly,
        answers: { 200: { description: 'The run', schema: sessionAnswer } },
      },
      async handle(context) {
        const { claim } = splitClaim(readQuery(context, claimOnly))
        const own = context.get('access').byId(claim)
        const id = context.req.param('id')!
        const session = await own.session(id)
        if (!session) throw notThere(`session ${id}`, { session: id })
        const [{ injections }, { memories: left }] = await Promise.all([
          own.injections({ session: id, limit: LIMITS.pageLimit }),
          own.list({ session: id, includeInactive: true, limit: LIMITS.listLimit }),
        ])
        const shown = await Promise.all(
          injections.map(async ({ memory, ...rest }) => ({ ...rest, memory: await own.get(memory) })),
        )
        return context.json({ session, shown, left })
      },
    },
  ]
}
