import { createTables, deleteTables } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import type { FleetBackend } from '../stress/fleet-store.ts'
import { ownTables } from './local-tables.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }

/** Separate tables for each store, on the DynamoDB Local of this run. */
export const dynamodbFleet: FleetBackend = {
  name: 'DynamoDB',
  env: CREDENTIALS,
  async create() {
    const tables = await ownTables()
    // The other processes of the fleet get them from here.
    Object.assign(process.env, CREDENTIALS)
    await createTables({ ...tables, ttl: false })
    return {
      url: `dynamodb://${tables.region}?prefix=${tables.prefix}&endpoint=${tables.endpoint}`,
      async destroy() {
        await deleteTables(tables)
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
