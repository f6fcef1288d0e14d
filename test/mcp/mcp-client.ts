import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { createMcpServer, type McpServerOptions } from '../../src/mcp/create-mcp-server.ts'
import type { Identifiers } from '../../src/model/layer.ts'

export interface Called {
  text: string
  value: Record<string, unknown> | undefined
  isError: boolean
}

/** Calls a tool and parses the answer. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const [first] = content
  if (content.length !== 1 || first?.type !== 'text') throw new Error('a tool answers with one text')
  return { text: first.text, value: structuredContent as Called['value'], isError: isError === true }
}

export function newClient(mode: 'legacy' | 'auto' = 'legacy'): Client {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  onTestFinished(() => client.close())
  return client
}

/** A separate engine with its clients. */
export async function memoryWithClients() {
  const memory = await openMemory({ storage: 'memory:', embedding: hashingEmbedding(), relations: null })
  onTestFinished(() => memory.shutdown())
  const connect = (identifiers: Identifiers, options: Partial<McpServerOptions> = {}) =>
    connectTo(memory, identifiers, options)
  return { memory, connect }
}

async function connectTo(memory: Nokosu, identifiers: Identifiers, options: Partial<McpServerOptions>) {
  const server = createMcpServer({ identifiers, as: (who) => memory.as(who, { by: 'mcp', agent: true }), ...options })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = newClient()
  await Promise.all([server.connect(far as never), client.connect(near)])
  return client
}

/** A client of a process that serves on standard input and output. */
export async function connectProcess(
  command: string,
  args: readonly string[],
  { cwd, env = {}, mode }: { cwd: string; env?: Record<string, string>; mode?: 'legacy' | 'auto' },
) {
  const client = newClient(mode)
  const transport = new StdioClientTransport({ command, args: [...args], cwd, env, stderr: 'pipe' })
  const errors: string[] = []
  transport.stderr?.on('data', (part) => errors.push(String(part)))
  await client.connect(transport)
  return { client, transport, stderr: () => errors.join('') }
}
