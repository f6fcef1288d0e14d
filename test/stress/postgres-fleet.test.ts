import { postgresFleet } from '../postgres/fleet-backend.ts'
import { postgresServer } from '../postgres/schemas.ts'
import { fleetTests } from './fleet.ts'

fleetTests(postgresFleet('PostgreSQL', await postgresServer()))
