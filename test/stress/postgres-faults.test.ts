import { postgresFleet } from '../postgres/fleet-backend.ts'
import { postgresServer } from '../postgres/schemas.ts'
import { faultTests } from './faults.ts'

faultTests(postgresFleet('PostgreSQL', await postgresServer()))
