import { storageConformance } from '../../src/testing/index.ts'
import { emptySchema, postgresServer, storeIn } from '../postgres/schemas.ts'
import { engineCases } from './engine-cases.ts'

const schema = emptySchema(await postgresServer())

const target = { name: 'postgres', create: async () => storeIn(await schema) }
storageConformance(target)
engineCases(target, /^an import into an empty store/)
