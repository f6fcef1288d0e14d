import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One scripted model answer: content blocks or an API error. */
export type Answer = { content: readonly Block[] } | { status: 400 | 401 | 429 | 529; message: string }
type Block = { type: 'text'; text: string } | { type: 'tool_use'; name: string; input: Record<string, unknown> }

/** A body of `POST /v1/messages`, as far as the tests look at it. */
export interface MessagesRequest {
  model: string
  system: { type: 'text'; text: string }[]
  messages: {
    role: 'user' | 'assistant' | 'system'
    content: string | { type: string; text?: string; content?: unknown }[]
  }[]
  tools?: { name: string }[]
  stream?: boolean
}

interface MockApi {
  url: string
  /** All message requests, in order. */
  requests: MessagesRequest[]
  /** Other requests: `METHOD /path`, or `CONNECT host:port` if the mock acts as proxy. */
  others: string[]
  close(): Promise<void>
}

export const say = (text: string): Answer => ({ content: [{ type: 'text', text }] })

const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
} as const

/**
 * A Messages API on loopback that gives the scripted answers. An error is given again and again, since clients try again; a
 * request past the end of the script is an error that the run reports.
 */
export async function startMockApi(script: readonly Answer[]): Promise<MockApi> {
  const requests: MessagesRequest[] = []
  const others: string[] = []
  let next = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://mock').pathname
    const body = await readBody(request)
    if (request.method !== 'POST' || path !== '/v1/messages') {
      others.push(`${request.method} ${path}`)
      sendError(response, 404, 'not_found_error', 'The mock only knows POST /v1/messages.')
      return
    }
    const parsed = JSON.parse(body) as MessagesRequest
    requests.push(parsed)
    const turn = script[next]
    if (turn === undefined) sendError(response, 400, ERROR_TYPES[400], 'The script of the test is over.')
    else if ('status' in turn) sendError(response, turn.status, ERROR_TYPES[turn.status], turn.message)
    else sendMessage(response, parsed, turn.content, next++)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error))
  })
  server.on('connect', (request, socket) => {
    others.push(`CONNECT ${request.url}`)
    // The client may hang up first.
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${port}`, requests, others, close }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

function sendError(response: ServerResponse, status: number, type: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
  response.end(JSON.stringify({ type: 'error', error: { type, message } }))
}

function sendMessage(response: ServerResponse, request: MessagesRequest, blocks: readonly Block[], turn: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of messageEvents(request, blocks, turn)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

function* messageEvents({ model }: MessagesRequest, blocks: readonly Block[], turn: number) {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model, content: [], usage }
  yield { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } }
  for (const [index, block] of blocks.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block, `toolu_${turn}_${index}`) }
    for (const delta of deltasOf(block)) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } }
  yield { type: 'message_stop' }
}

function emptied(block: Block, id: string) {
  return block.type === 'text' ? { ...block, text: '' } : { ...block, id, input: {} }
}

/** In chunks that split words and markers, as the real API sends them. */
function* deltasOf(block: Block) {
  const whole = block.type === 'text' ? block.text : JSON.stringify(block.input)
  for (const piece of whole.match(/.{1,7}/gsu) ?? []) {
    yield block.type === 'text'
      ? { type: 'text_delta', text: piece }
      : { type: 'input_json_delta', partial_json: piece }
  }
}
