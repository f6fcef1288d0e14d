import { dynamodbFleet } from '../dynamodb/fleet-backend.ts'
import { fleetTests } from './fleet.ts'

fleetTests(dynamodbFleet)
