import type { FleetBackend } from '../stress/fleet-store.ts'
import { emptySchema } from './schemas.ts'

/** A separate schema on this server for each store. */
export function postgresFleet(name: string, server: string): FleetBackend {
  return {
    name,
    create: () => emptySchema(server),
    address(url) {
      const { hostname, port } = new URL(url)
      return { host: hostname, port: Number(port) || 5432 }
    },
    behind(url, port) {
      const place = new URL(url)
      place.host = `127.0.0.1:${port}`
      return place.href
    },
  }
}
