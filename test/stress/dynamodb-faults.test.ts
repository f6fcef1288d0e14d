import { dynamodbFleet } from '../dynamodb/fleet-backend.ts'
import { faultTests } from './faults.ts'

faultTests(dynamodbFleet)
