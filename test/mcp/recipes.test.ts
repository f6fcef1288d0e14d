import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { NOKOSU, workspace } from '../surfaces/run-cli.ts'
import { call, connectProcess, memoryWithClients, newClient } from './mcp-client.ts'
import { serveForTest } from './serve-for-test.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8')
const PLUGIN = readFileSync(join(ROOT, 'plugin/.mcp.json'), 'utf8')

interface Entry {
  command: string
  args: string[]
}

function snippet(name: string): string {
  const found = new RegExp(`\`\`\`\\w+ mcp=${name}\\n([\\s\\S]+?)\`\`\``).exec(PAGE)
  if (!found) throw new Error(`docs/mcp.md has no configuration for ${name}`)
  return found[1]!
}

/** The part of TOML that a server table needs: its strings and lists are also JSON. */
function readToml(text: string): Record<string, Record<string, unknown>> {
  const tables: Record<string, Record<string, unknown>> = {}
  let table: Record<string, unknown> = {}
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const header = /^\[(.+)\]$/.exec(line)?.[1]
    const [, key, value] = /^(\w+) = (.+)$/.exec(line) ?? []
    if (header !== undefined) {
      table = {}
      tables[header] = table
    } else if (key !== undefined) table[key] = JSON.parse(value!)
    else throw new Error(`not TOML: ${line}`)
  }
  return tables
}

const READERS: Record<string, () => Entry> = {
  'claude-code': () => JSON.parse(snippet('claude-code')).mcpServers.nokosu,
  codex: () => readToml(snippet('codex'))['mcp_servers.nokosu'] as unknown as Entry,
  cursor: () => JSON.parse(snippet('cursor')).mcpServers.nokosu,
  gemini: () => JSON.parse(snippet('gemini')).mcpServers.nokosu,
  vscode: () => JSON.parse(snippet('vscode')).servers.nokosu,
  plugin: () => JSON.parse(PLUGIN).mcpServers.memory,
}

/** Replaces `${name}` with values, as clients do. */
function substitute(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => variables[name]!)
}

/** Clients that start servers in their own folder and name the project's. */
const ELSEWHERE = new Set(['cursor', 'vscode'])

describe('the configuration of each client starts a server that knows its project', () => {
  it.each(Object.keys(READERS))('%s', async (name) => {
    const { folder } = workspace()
    const shop = join(folder, 'shop')
    const tools = join(folder, 'tools')
    for (const path of [shop, tools]) mkdirSync(path)
    execFileSync('git', ['init', '-q'], { cwd: shop, env: { PATH: process.env.PATH, HOME: folder } })
    writeFileSync(join(tools, 'nokosu'), `#!/bin/sh\nexec '${process.execPath}' '${NOKOSU}' "$@"\n`)
    chmodSync(join(tools, 'nokosu'), 0o755)
    const { command, args } = READERS[name]!()
    const variables = { workspaceFolder: shop, CLAUDE_PLUGIN_ROOT: join(ROOT, 'plugin') }
    const meant = args.map((each) => substitute(each, variables))
    const env = { PATH: `${tools}${delimiter}${process.env.PATH}`, HOME: folder, NOKOSU_EMBEDDING: 'hashing' }
    const { client, stderr } = await connectProcess(command, meant, { cwd: ELSEWHERE.has(name) ? folder : shop, env })
    expect((await client.listTools()).tools).toHaveLength(8)
    expect((await call(client, 'memory_add', { content: 'Prices are in cents' })).text).toMatch(/^Remembered\./)
    expect(stderr()).toBe('')
  })
})

it('the configuration for HTTP reaches the server, with the token and for the project that it names', async () => {
  const { memory } = await memoryWithClients()
  const { secret } = await memory.tokens.create({ name: 'client', scope: 'write' })
  const { port } = await serveForTest(memory, { requireToken: true })
  const { url, headers } = JSON.parse(snippet('http')).mcpServers.nokosu as {
    url: string
    headers: Record<string, string>
  }
  const address = new URL(url.replace(':4816/', `:${port}/`))
  const sent = { Authorization: substitute(headers.Authorization!, { NOKOSU_TOKEN: secret }) }
  const client = newClient()
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers: sent } }))
  await call(client, 'memory_add', { content: 'Prices are in cents' })
  const { memories } = await memory.list({ everything: true })
  expect(memories[0]!.identifiers).toEqual({ agentId: 'nori', projectId: 'acme/shop' })
})

it('the page names every tool', async () => {
  const { connect } = await memoryWithClients()
  const { tools } = await (await connect({ projectId: 'shop' })).listTools()
  for (const { name } of tools) expect(PAGE).toContain(`| \`${name}\` |`)
})
