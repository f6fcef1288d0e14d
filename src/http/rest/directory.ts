import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { type DirectoryEntry, directoryEntrySchema } from '../../model/records.ts'
import { readFields } from '../request.ts'
import type { Route, ServerParts } from '../route.ts'

const tag = 'Directory'
const chainBody = schemas.directory.input.pick({ projectId: true, teamId: true, orgId: true, companyId: true })

/** Which team, org and company a project belongs to. */
export function directoryRoutes({ memory }: ServerParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/directory',
      needs: 'admin',
      summary: 'What belongs to what',
      api: {
        operation: 'listDirectory',
        tag,
        answers: { 200: { description: 'All entries of the store', schema: z.array(directoryEntrySchema) } },
      },
      handle: async (context) => context.json(await memory.directory.list()),
    },
    {
      method: 'PUT',
      path: '/api/directory',
      needs: 'admin',
      summary: 'Says where a project, team or org belongs: two or more of projectId, teamId, orgId and companyId',
      api: {
        operation: 'setDirectory',
        tag,
        body: chainBody,
        answers: { 200: { description: 'The entries', schema: schemas.directory.output } },
      },
      handle: async (context) => context.json(await memory.directory.set(await readFields(context, chainBody))),
    },
    {
      method: 'DELETE',
      path: '/api/directory/:layer/:id',
      needs: 'admin',
      summary: 'Forgets where a project, team or org belongs',
      api: { operation: 'removeDirectory', tag, answers: { 204: { description: 'It is gone', schema: null } } },
      async handle(context) {
        const { layer, id } = context.req.param() as Pick<DirectoryEntry, 'layer' | 'id'>
        await memory.directory.remove(layer, id)
        return context.body(null, 204)
      },
    },
  ]
}
