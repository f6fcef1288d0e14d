import { createTables, deleteTables } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import type { FleetBackend } from '../stress/fleet-store.ts'
import { localOptions } from './local-tables.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
let made = 0

/** Tables of their own on the DynamoDB Local of this run for each store. */
export const dynamodbFleet: FleetBackend = {
  name: 'DynamoDB',
  env: CREDENTIALS,
  async create() {
    const local = await localOptions()
    // The other processes of the fleet have them from here.
    Object.assign(process.env, CREDENTIALS)
    const prefix = `fleet${++made}-`
    await createTables({ ...local, prefix, ttl: false })
    return {
      url: `dynamodb://${local.region}?prefix=${prefix}&endpoint=${local.endpoint}`,
      async destroy() {
        await deleteTables({ ...local, prefix })
      },
    }
  },
  address(url) {
    const { hostname, port } = new URL(endpointOf(url))
    return { host: hostname, port: Number(port) }
  },
  behind: (url, port) => url.replace(endpointOf(url), `http://127.0.0.1:${port}`),
}

function endpointOf(url: string): string {
  return new URLSearchParams(url.slice(url.indexOf('?'))).get('endpoint')!
}
