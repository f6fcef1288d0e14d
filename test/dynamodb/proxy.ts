import { Agent, createServer, request } from 'node:http'

/** One call of DynamoDB, such as `TransactWriteItems`. */
export interface Call {
  operation: string
  /** Number of earlier calls. */
  number: number
  body: Record<string, unknown>
}

/**
 * What happens to a call:
 * - `pass`: nothing special; `drop`: the connection breaks before the server sees it; `lose`: the server does it, and the answer is lost;
 * - `unprocessed`: half of the keys or items of a batch are left undone, as under load;
 * - a fault: this error, with this `Retry-After` in seconds.
 */
export type Fate = 'pass' | 'drop' | 'lose' | 'unprocessed' | Fault

interface Fault {
  error: string
  status?: number
  retryAfter?: number
  body?: object
}

export interface Units {
  requests: number
  read: number
  write: number
}

export interface FaultyProxy {
  endpoint: string
  /** Sets the rule for all further calls. */
  fate: (call: Call) => Fate | Promise<Fate>
  /** Units used since the last read. */
  takeUnits(): Units
  close(): Promise<void>
}

interface Capacity {
  CapacityUnits?: number
  ReadCapacityUnits?: number
  WriteCapacityUnits?: number
}

/** A proxy between a store and DynamoDB: counts the units of every call, and breaks the calls that a test chooses. */
export async function startProxy(endpoint: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(endpoint)
  const agent = new Agent({ keepAlive: true })
  let units: Units = { requests: 0, read: 0, write: 0 }
  let number = 0
  const proxy: FaultyProxy = {
    endpoint: '',
    fate: () => 'pass',
    takeUnits() {
      const taken = units
      units = { requests: 0, read: 0, write: 0 }
      return taken
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
  const server = createServer(async (incoming, outgoing) => {
    const sent: Buffer[] = []
    for await (const chunk of incoming) sent.push(chunk)
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    const body = JSON.parse(Buffer.concat(sent).toString()) as Record<string, unknown>
    const fate = await proxy.fate({ operation, number: number++, body })
    if (fate === 'drop') return incoming.socket.destroy()
    if (typeof fate === 'object') {
      outgoing.writeHead(fate.status ?? 400, {
        'content-type': 'application/x-amz-json-1.0',
        ...(fate.retryAfter === undefined ? {} : { 'retry-after': String(fate.retryAfter) }),
      })
      return outgoing.end(
        JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${fate.error}`, message: 'broken', ...fate.body }),
      )
    }
    const undone = fate === 'unprocessed' ? takeHalf(body) : null
    if (/Item|Query|Scan/.test(operation)) body.ReturnConsumedCapacity = 'TOTAL'
    const text = JSON.stringify(body)
    const headers = { ...incoming.headers, host: `${hostname}:${port}`, 'content-length': Buffer.byteLength(text) }
    const forwarded = request({ hostname, port, method: 'POST', path: '/', headers, agent }, async (answer) => {
      const got: Buffer[] = []
      for await (const chunk of answer) got.push(chunk)
      let reply = Buffer.concat(got).toString()
      count(units, operation, reply)
      if (fate === 'lose') return incoming.socket.destroy()
      if (undone) reply = JSON.stringify({ ...JSON.parse(reply), ...undone })
      outgoing.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/x-amz-json-1.0' })
      outgoing.end(reply)
    })
    forwarded.once('error', () => incoming.socket.destroy())
    forwarded.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  proxy.endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
  return proxy
}

/** Removes the second half of a batch, and returns the matching unprocessed part. */
function takeHalf(body: Record<string, unknown>): Record<string, unknown> | null {
  const tables = (body.RequestItems ?? {}) as Record<string, unknown[] | { Keys: unknown[] }>
  for (const [table, asked] of Object.entries(tables)) {
    const list = Array.isArray(asked) ? asked : asked.Keys
    if (list.length < 2) continue
    const rest = list.splice(Math.ceil(list.length / 2))
    return Array.isArray(asked)
      ? { UnprocessedItems: { [table]: rest } }
      : { UnprocessedKeys: { [table]: { ...asked, Keys: rest } } }
  }
  return null
}

function count(units: Units, operation: string, reply: string): void {
  units.requests++
  const said = (JSON.parse(reply) as { ConsumedCapacity?: Capacity | Capacity[] }).ConsumedCapacity
  const isRead = /Get|Query|Scan/.test(operation)
  for (const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } of said ? [said].flat() : []) {
    units.read += ReadCapacityUnits ?? (isRead ? CapacityUnits : 0)
    units.write += WriteCapacityUnits ?? (isRead ? 0 : CapacityUnits)
  }
}
