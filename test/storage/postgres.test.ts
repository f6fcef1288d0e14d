import { storageConformance } from '../../src/testing/index.ts'
import { emptySchema, postgresServer, storeIn } from '../postgres/schemas.ts'

const schema = emptySchema(await postgresServer())

storageConformance({ name: 'postgres', create: async () => storeIn(await schema) })
