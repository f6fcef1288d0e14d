import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { startServer } from '../http/start-server.ts'
import { call, connectProcess } from '../mcp/mcp-client.ts'
import { AGENT, idle, runWorkspace, saying } from '../surfaces/run-agent.ts'
import { NOKOSU, runCli } from '../surfaces/run-cli.ts'
import { BACKENDS } from './backends.ts'

const SAID = '[MEMORY:timing:web] Web starts in 9s\n'

interface Found {
  results: { memory: Memory }[]
}

/** One working day on each backend that another process can open: every surface sees what the others recorded. */
test.each(BACKENDS.filter(({ name }) => name !== 'reference'))(
  '$name: command line, capture, run, context, REST, MCP and dashboard show the same memories',
  async ({ create }) => {
    const store = await create()
    // Commands in this process use the AWS SDK's environment.
    Object.assign(process.env, store.env)
    const { folder, run: runAgent, json } = runWorkspace()
    const env = { ...store.env, NOKOSU_DB: store.url!, HOME: folder, XDG_STATE_HOME: join(folder, 'state') }
    const scope = ['--project', 'shop']
    const run = (args: string[]) => runCli(args, { cwd: folder, env })
    // This tests delivery, not speed: on a busy machine the default limit is too short.
    const agent = (...command: string[]) => runAgent([...AGENT, '--store-timeout', '120', ...command], { env })
    onTestFinished(() => store.destroy())

    await json(['add', ...scope, 'The deploy of checkout takes twelve minutes'], { env })
    await json(['capture', ...scope, '--session', 's1'], { env, input: SAID })
    // Repeated by another session: reinforced, not stored twice.
    await json(['capture', ...scope, '--session', 's2'], { env, input: SAID })
    expect((await agent(...saying('[MEMORY:behavior:db] The replica lags at noon'))).code).toBe(0)
    expect((await agent(...idle)).code).toBe(0)

    const { memories } = await json<{ memories: Memory[] }>(['list', '--all'], { env })
    const contents = ['The deploy of checkout takes twelve minutes', 'The replica lags at noon', 'Web starts in 9s']
    expect(memories.map(({ content }) => content).sort()).toEqual(contents)
    const web = memories.find(({ content }) => content === 'Web starts in 9s')!
    expect(web.confidence).toBeGreaterThan(0.7)
    const found = await json<Found>(['search', ...scope, 'deploy checkout minutes', '--threshold', '0.2'], { env })
    expect(found.results[0]!.memory.content).toBe(contents[0])
    expect((await run(['context', ...AGENT])).stdout).toContain(contents[1])
    await json(['sweep'], { env })

    const server = await startServer(folder, [], env)
    onTestFinished(async () => {
      server.child.kill('SIGTERM')
      await server.ended
    })
    const get = async (path: string) => (await fetch(`${server.url}${path}`, { headers: server.asOperator })).text()
    for (const content of contents) {
      expect(await get('/api/memories?projectId=shop&agentId=nori')).toContain(content)
      expect(await get('/memories')).toContain(content)
    }
    const { client } = await connectProcess(process.execPath, [NOKOSU, 'mcp', ...scope], {
      cwd: folder,
      env: { ...env, PATH: process.env.PATH!, NOKOSU_EMBEDDING: 'hashing' },
    })
    expect((await call(client, 'memory_search', { query: 'deploy checkout minutes', threshold: 0.2 })).text).toContain(
      contents[0],
    )
    const history = await json<{ changes: unknown[] }>(['history', web.id, '--all'], { env })
    expect(history.changes).toHaveLength(2)
  },
)
