import { z } from 'zod'
import { schemas } from '../../engine/schemas.ts'
import { type DirectoryEntry, directoryEntrySchema } from '../../model/records.ts'
import { unchecked } from '../body.ts'
import { endpointsOf } from '../endpoint.ts'
import type { Route, ServerParts } from '../route.ts'

const endpoint = endpointsOf('Directory')
const chainBody = schemas.directory.input.pick({ projectId: true, teamId: true, orgId: true, companyId: true })

export function directoryRoutes({ memory: { directory } }: ServerParts): Route[] {
  return [
    endpoint('listDirectory', 'GET /api/directory', 'admin', {
      summary: 'Lists which project, team and org belongs where',
      answer: [200, 'All entries of the store', z.array(directoryEntrySchema)],
      run: () => directory.list(),
    }),
    endpoint('setDirectory', 'PUT /api/directory', 'admin', {
      summary: 'Records where a project, team or org belongs: two or more of projectId, teamId, orgId and companyId',
      body: unchecked(chainBody),
      answer: [200, 'The entries', schemas.directory.output],
      run: ({ body }) => directory.set(body),
    }),
    endpoint('removeDirectory', 'DELETE /api/directory/:layer/:id', 'admin', {
      summary: 'Deletes where a project, team or org belongs',
      answer: [204, 'It is deleted', null],
      run: ({ param }) => directory.remove(param('layer') as DirectoryEntry['layer'], param('id')),
    }),
  ]
}
