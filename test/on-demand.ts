import { createServer } from 'node:http'

/** A server that tests use, and its connection details. */
export interface Started {
  address: string
  stop(): Promise<void>
}

/** Starts a server when the first test file requests its address. */
export async function onDemand(start: () => Promise<Started>): Promise<{ desk: string; close(): Promise<void> }> {
  let starting: Promise<Started> | null = null
  const listener = createServer((_, response) => {
    starting ??= start()
    starting.then(
      ({ address }) => response.end(address),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  return {
    desk: `http://127.0.0.1:${port}`,
    async close() {
      listener.close()
      listener.closeAllConnections()
      await (await starting?.catch(() => null))?.stop()
    },
  }
}

export async function askDesk(desk: string): Promise<string> {
  const answer = await fetch(desk)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
