import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { type LocalServer, startLocalServer } from './local-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Says where DynamoDB Local listens, and starts it when the first one asks. */
    dynamodb: string
  }
}

/** One DynamoDB Local for all test files; none where no file needs it. */
export default async function setup(project: TestProject) {
  let starting: Promise<LocalServer> | null = null
  const desk = createServer((_, response) => {
    starting ??= startLocalServer()
    starting.then(
      ({ endpoint }) => response.end(endpoint),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve))
  const address = desk.address()
  project.provide('dynamodb', `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`)
  return async () => {
    desk.close()
    desk.closeAllConnections()
    await (await starting?.catch(() => null))?.stop()
  }
}
