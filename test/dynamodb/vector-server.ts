import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Vector {
  key: string
  data: { float32: number[] }
  metadata: Record<string, unknown>
}

interface Index {
  dimension: number
  /** In seconds. */
  creationTime: number
  vectors: Map<string, Vector>
}

interface Input {
  vectorBucketName?: string
  indexName?: string
  vectors?: Vector[]
  keys?: string[]
  topK?: number
  queryVector?: { float32: number[] }
  filter?: Record<string, { $eq?: unknown }>
  [name: string]: unknown
}

export interface VectorServer {
  endpoint: string
  bucket: string
  /** By name. */
  indexes: Map<string, Index>
  /** Names of the calls, in order. */
  calls: string[]
  /** Answers the next call of this name with an error, after `first` if it is given. */
  fail(call: string, name: string, status: number, first?: boolean): void
  /** Leaves out some of the neighbours after the nearest ones: the real service is approximate. */
  lossy: boolean
  close(): Promise<void>
}

/** The documented limits. */
const LIMITS = {
  put: 500,
  delete: 500,
  get: 100,
  list: 1000,
  topK: 10_000,
  payload: 20 * 1024 * 1024,
  filterable: 2048,
}
/** The real page is some megabytes; this one has few, so that tests read several. */
const PAGE = 150

class Refused extends Error {
  readonly status: number

  constructor(name: string, status: number, message: string) {
    super(message)
    this.name = name
    this.status = status
  }
}

/** A stand-in for Amazon S3 Vectors, as far as its documentation says what it does. One bucket. */
export async function startVectorServer(bucket = 'memories'): Promise<VectorServer> {
  const faults: { call: string; error: Refused; after: boolean }[] = []
  const server = createServer(async (request, response) => {
    const call = request.url!.slice(1)
    state.calls.push(call)
    const [fault] = faults.splice(faults.findIndex((each) => each.call === call) >>> 0, 1)
    try {
      const input = await bodyOf(request)
      if (fault && !fault.after) throw fault.error
      const answer = await answerTo(state, call, input)
      if (fault) throw fault.error
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    } catch (error) {
      const { name, message, status } =
        error instanceof Refused ? error : new Refused('InternalServerException', 500, String(error))
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': name })
        .end(JSON.stringify({ message }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state: VectorServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    indexes: new Map(),
    calls: [],
    lossy: false,
    fail: (call, name, status, after = false) =>
      void faults.push({ call, error: new Refused(name, status, 'as the test wants'), after }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}

async function bodyOf(request: IncomingMessage): Promise<Input> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  if (body.length > LIMITS.payload) throw invalid('The payload is larger than 20 MiB')
  return JSON.parse(body.toString() || '{}') as Input
}

function answerTo(server: VectorServer, call: string, input: Input): unknown {
  const { indexes, bucket } = server
  if (input.vectorBucketName !== bucket) throw missing('The specified vector bucket could not be found')
  if (call === 'ListIndexes') {
    const found = [...indexes].filter(([name]) => name.startsWith(String(input.prefix ?? '')))
    return {
      indexes: found.map(([indexName, { creationTime }]) => ({
        indexName,
        vectorBucketName: bucket,
        indexArn: `arn:${indexName}`,
        creationTime,
      })),
    }
  }
  const name = input.indexName ?? ''
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) throw invalid(`Invalid index name ${name}`)
  if (call === 'CreateIndex') {
    if (indexes.has(name)) throw new Refused('ConflictException', 409, 'An index with this name exists')
    if (input.dataType !== 'float32' || input.distanceMetric !== 'cosine')
      throw invalid('Only what Nokosu uses is known')
    indexes.set(name, { dimension: Number(input.dimension), creationTime: Date.now() / 1000, vectors: new Map() })
    return { indexArn: `arn:${name}` }
  }
  const index = indexes.get(name)
  if (!index) throw missing('The specified index could not be found')
  if (call === 'GetIndex')
    return {
      index: {
        vectorBucketName: bucket,
        indexName: name,
        indexArn: `arn:${name}`,
        creationTime: index.creationTime,
        dataType: 'float32',
        dimension: index.dimension,
        distanceMetric: 'cosine',
      },
    }
  if (call === 'DeleteIndex') {
    indexes.delete(name)
    return {}
  }
  if (call === 'PutVectors') return putVectors(index, input.vectors ?? [])
  if (call === 'DeleteVectors') {
    assertCount(input.keys ?? [], LIMITS.delete)
    for (const key of input.keys!) index.vectors.delete(key)
    return {}
  }
  if (call === 'ListVectors') {
    const from = Number(input.nextToken ?? 0)
    const all = [...index.vectors.values()]
    const to = from + Math.min(Number(input.maxResults ?? 500), LIMITS.list, PAGE)
    const vectors = all.slice(from, to).map(({ key, metadata }) => ({ key, metadata }))
    return { vectors, ...(to < all.length ? { nextToken: String(to) } : {}) }
  }
  if (call === 'QueryVectors') return queryVectors(server, index, input)
  throw invalid(`No call ${call}`)
}

function putVectors(index: Index, vectors: readonly Vector[]) {
  assertCount(vectors, LIMITS.put)
  for (const { key, data, metadata } of vectors) {
    if (key.length === 0 || Buffer.byteLength(key) > 1024) throw invalid('A key has 1 to 1024 bytes')
    assertVector(index, data.float32)
    if (Buffer.byteLength(JSON.stringify(metadata)) > LIMITS.filterable) throw invalid('Too much metadata to filter by')
  }
  for (const vector of vectors) index.vectors.set(vector.key, vector)
  return {}
}

function queryVectors(server: VectorServer, index: Index, { topK = 0, queryVector, filter, ...input }: Input) {
  if (!(topK >= 1 && topK <= LIMITS.topK)) throw invalid(`topK is 1 to ${LIMITS.topK}`)
  const query = queryVector!.float32
  assertVector(index, query)
  const meets = ({ metadata }: Vector) =>
    Object.entries(filter ?? {}).every(([name, test]) => metadata[name] === test.$eq)
  const found = [...index.vectors.values()]
    .filter(meets)
    .map((vector) => ({ vector, distance: 1 - cosine(query, vector.data.float32) }))
    .sort((a, b) => a.distance - b.distance)
    .filter((_, i) => !server.lossy || i < 5 || i % 7 !== 0)
    .slice(0, topK)
  const from = Number(input.nextToken ?? 0)
  const to = Math.min(found.length, from + PAGE)
  const vectors = found.slice(from, to).map(({ vector: { key, metadata }, distance }) => ({
    key,
    ...(input.returnMetadata ? { metadata } : {}),
    ...(input.returnDistance ? { distance } : {}),
  }))
  return { vectors, distanceMetric: 'cosine', ...(to < found.length ? { nextToken: String(to) } : {}) }
}

function assertVector({ dimension }: Index, vector: readonly number[]): void {
  if (vector.length !== dimension) throw invalid(`Vectors of this index have ${dimension} dimensions`)
  if (!vector.every(Number.isFinite)) throw invalid('A vector has a value that is not a number')
  if (vector.every((value) => value === 0)) throw invalid('Zero vectors have no cosine')
}

function assertCount(values: readonly unknown[], most: number): void {
  if (values.length === 0 || values.length > most) throw invalid(`1 to ${most} in a call`)
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, left, right] = [0, 0, 0]
  for (const [i, x] of a.entries()) {
    dot += x * b[i]!
    left += x * x
    right += b[i]! * b[i]!
  }
  return dot / Math.sqrt(left * right)
}

function invalid(message: string): Refused {
  return new Refused('ValidationException', 400, message)
}

function missing(message: string): Refused {
  return new Refused('NotFoundException', 404, message)
}
