import type { TestProject } from 'vitest/node'
import { onDemand } from '../on-demand.ts'
import { startLocalServer } from './local-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the address of DynamoDB Local, and starts it on the first request. */
    dynamodb: string
  }
}

/** One DynamoDB Local for all test files, started only if a file needs it. */
export default async function setup(project: TestProject) {
  const { desk, close } = await onDemand(async () => {
    const { endpoint, stop } = await startLocalServer()
    return { address: endpoint, stop }
  })
  project.provide('dynamodb', desk)
  return close
}
