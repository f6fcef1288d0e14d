import { z } from 'zod'
import { workflowEventSchema as eventInput } from '../../capture/workflow-event.ts'
import { schemas } from '../../engine/schemas.ts'
import { idSchema } from '../../model/fields.ts'
import { LIMITS } from '../../model/limits.ts'
import { memorySchema } from '../../model/memory.ts'
import { injectionSchema, sessionSchema } from '../../model/records.ts'
import type { Access } from '../access.ts'
import { claimed, unchecked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import { HttpError } from '../errors.ts'
import { claimOnly, pageQuery } from '../request.ts'
import type { Route } from '../route.ts'
import { notThere } from './answers.ts'

const told = { session: idSchema.optional(), dryRun: z.boolean().optional() }
const eventBody = z.union(eventInput.options.map((option) => option.extend(told)))
const [plainContext, queryContext] = schemas.context.input.options
const contextBody = z.union([plainContext.omit({ key: true }), queryContext.omit({ key: true })])
const recallBody = schemas.recall.input.omit({ key: true })
const sessionAnswer = z.strictObject({
  session: sessionSchema,
  /** What it was shown, in order; `memory` is null if it was deleted, or the caller may not see it. */
  shown: z.array(
    z.strictObject({ ...injectionSchema.omit({ memory: true }).shape, id: idSchema, memory: memorySchema.nullable() }),
  ),
  left: z.array(memorySchema),
})
const endpoint = endpointsOf('Runs')

function requireRecorder(access: Access): void {
  if (access.may('write')) return
  const message = 'Recording what a session is shown needs a token of scope write. Leave session out.'
  throw new HttpError(403, message, { scope: 'write', field: 'session' })
}

export const runRoutes: readonly Route[] = [
  endpoint('getContext', 'POST /api/context', 'read', {
    summary:
      'The block of memories that an agent is shown. With `session`, what is shown is recorded, which needs scope write.',
    body: claimed(contextBody),
    answer: [200, 'The block, and what was left out and why', schemas.context.output],
    async run({ access, body: { claim, rest }, once }) {
      if (rest.session !== undefined) requireRecorder(access)
      return access.memory(claim).context({ ...rest, ...(await once()) })
    },
  }),
  endpoint('recall', 'POST /api/recall', 'read', {
    summary:
      'What matters at a moment of a session: a few lines, or none. With `session` they are recorded, which needs scope write.',
    body: claimed(recallBody),
    answer: [200, 'The lines, and their text as an agent is shown it', schemas.recall.output],
    async run({ access, body: { claim, rest }, once }) {
      if (rest.session !== undefined && rest.record !== false) requireRecorder(access)
      return access.memory(claim).recall({ ...rest, ...(await once()) })
    },
  }),
  endpoint('recordEvent', 'POST /api/events', 'write', {
    summary: 'Records a workflow event, and stores what is worth keeping',
    body: unchecked(eventBody),
    answer: [201, 'The outcome', schemas.record.output],
    async run({ access, body: { session, dryRun, ...event }, once }) {
      const { projectId } = event
      const identifiers = typeof projectId === 'string' ? { projectId } : {}
      const options = { ...(session === undefined ? {} : { session }), ...(dryRun === undefined ? {} : { dryRun }) }
      return access.memory({ identifiers }).record(event, { ...options, ...(await once()) })
    },
  }),
  endpoint('listEvents', 'GET /api/events', 'read', {
    summary: 'Lists workflow events, newest first',
    query: pageQuery,
    answer: [200, 'A page', schemas.events.output],
    run: ({ access, claim, query }) => access.memory(claim).events(query),
  }),
  endpoint('listSessions', 'GET /api/sessions', 'read', {
    summary: 'Lists runs, newest first',
    query: pageQuery,
    answer: [200, 'A page', schemas.sessions.output],
    run: ({ access, claim, query }) => access.memory(claim).sessions(query),
  }),
  endpoint('getSession', 'GET /api/sessions/:id', 'read', {
    summary: 'One run: what it was shown and what it recorded',
    query: claimOnly,
    answer: [200, 'The run', sessionAnswer],
    async run({ access, claim, param }) {
      const [own, id] = [access.byId(claim), param('id')]
      const session = await own.session(id)
      if (!session) throw notThere(`session ${id}`, { session: id })
      const [{ injections }, { memories: left }] = await Promise.all([
        own.injections({ session: id, limit: LIMITS.pageLimit }),
        own.list({ session: id, includeInactive: true, limit: LIMITS.listLimit }),
      ])
      const shown = await Promise.all(
        injections.map(async ({ memory, ...rest }) => ({ ...rest, memory: await own.get(memory) })),
      )
      return { session, shown, left }
    },
  }),
]
