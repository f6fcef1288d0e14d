import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { createTables, deleteTables } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { localOptions, ownPrefix } from '../dynamodb/local-tables.ts'
import { type Fate, startProxy } from '../dynamodb/proxy.ts'
import { AGENT, git, idle, saying } from './run-agent.ts'
import { NOKOSU, workspace } from './run-cli.ts'

const local = await localOptions()
// In-process commands use the AWS SDK's environment, that of this process.
process.env.AWS_ACCESS_KEY_ID = 'local'
process.env.AWS_SECRET_ACCESS_KEY = 'local'
const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }

function at(endpoint = local.endpoint) {
  const prefix = ownPrefix()
  // DynamoDB Local allows 256 tables, shared by all test files.
  onTestFinished(async () => {
    await deleteTables({ ...local, prefix })
  })
  const db = `dynamodb://${local.region}?prefix=${prefix}&endpoint=${endpoint}`
  const place = workspace()
  const env = { NOKOSU_DB: db, XDG_STATE_HOME: join(place.folder, 'state'), HOME: place.folder, ...credentials }
  return { ...place, prefix, env }
}

/** The container of an agent with this output: its repository, and a step in a project. */
function container(folder: string, env: Record<string, string>, said: string) {
  const origin = join(folder, 'origin.git')
  git(folder, 'init', '--bare', '-q', origin)
  git(folder, 'init', '-q', 'seed')
  git(join(folder, 'seed'), 'commit', '-q', '--allow-empty', '-m', 'begin')
  git(join(folder, 'seed'), 'push', '-q', origin, 'main')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const content = [{ type: 'text', text: said }]
  const event = JSON.stringify({ type: 'assistant', message: { id: 'm', role: 'assistant', content } })
  const programs = {
    nokosu: `exec ${process.execPath} ${NOKOSU} "$@"`,
    claude: `cat CLAUDE.md .claude/memory/MEMORY.md > ${folder}/seen; git config user.name >> ${folder}/seen
git commit -q --allow-empty -m done; echo '${event}'; exit \${AGENT_EXIT:-0}`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  let steps = 0
  const step = (project: string, more: Record<string, string> = {}) =>
    promisify(execFile)(join(import.meta.dirname, '../../agents/agent-entrypoint.sh'), [], {
      cwd: folder,
      env: {
        ...env,
        PATH: `${bin}:${process.env.PATH}`,
        NOKOSU_EMBEDDING: 'hashing',
        ...{ AGENT_NAME: 'nori', PROJECT_ID: project, PROMPT: 'fix it', REPO_URL: origin, EXTRACT: 'off' },
        WORKSPACE: join(folder, `clone-${project}-${++steps}`),
        ...more,
      },
    })
  return { origin, step }
}

describe('nokosu on DynamoDB', () => {
  it('tables are made, shown and deleted, and deleting needs a yes', async () => {
    const { run, json, failure, prefix, env } = at()
    expect(await failure(['add', '--project', 'shop', 'Tests need Redis'], { env })).toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('nokosu tables create'),
    })
    expect((await run(['tables', 'describe'], { env })).stdout).toMatch(new RegExp(`${prefix}agent-memories +missing`))
    expect((await run(['tables', 'create'], { env })).stdout).toContain(`Created ${prefix}agent-memories\n`)
    expect(await json(['tables', 'create'], { env })).toEqual({ changed: [] })
    expect((await run(['tables', 'describe'], { env })).stdout).toMatch(
      new RegExp(`${prefix}agent-memories +active +0 +0 +on`),
    )
    expect(await failure(['tables', 'delete'], { env })).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'yes' },
    })
    expect(await json<{ deleted: string[] }>(['tables', 'delete', '--yes'], { env })).toMatchObject({
      deleted: expect.arrayContaining([`${prefix}agent-memories`, `${prefix}agent-personalities`]),
    })
    expect((await run(['tables', 'delete', '--yes'], { env })).stdout).toBe('There are no tables.\n')
  })

  it('only a DynamoDB store has tables', async () => {
    expect(await workspace().failure(['tables', 'create'])).toMatchObject({
      code: 'UNSUPPORTED',
      details: { key: 'db' },
    })
  })

  it('without the AWS SDK it says what to install', async () => {
    const { failure, env } = at()
    const hook = `import { registerHooks } from 'node:module'
registerHooks({ resolve(name, context, next) {
  if (name.startsWith('@aws-sdk')) throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
} })`
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(hook)}`
    expect(await failure(['list', '--project', 'shop'], { env: { ...env, NODE_OPTIONS } })).toMatchObject({
      code: 'MISSING_DEPENDENCY',
      message: expect.stringContaining('npm install @aws-sdk/client-dynamodb'),
    })
  })

  it('run goes on as if nothing were when DynamoDB is away, and what was said is delivered once when it is back', async () => {
    const proxy = await startProxy(local.endpoint)
    onTestFinished(() => proxy.close())
    const { folder, run, json, prefix, env } = at(proxy.endpoint)
    mkdirSync(join(folder, 'work'))
    await createTables({ ...local, prefix })
    // Long enough for a busy machine; a broken connection is noticed at once.
    const agent = ['run', '--workspace', join(folder, 'work'), '--store-timeout', '120', ...AGENT]
    proxy.fate = () => 'drop'
    const marker = '[MEMORY:timing:web] Takes 60s to start'
    const ran = await run([...agent, ...saying(marker)], { env })
    expect(ran).toMatchObject({ code: 0, stdout: `${marker}\n` })
    expect(ran.stderr).toMatch(/DynamoDB failed|the store did not answer/i)
    expect((await run([...agent, '--', 'sh', '-c', 'exit 7'], { env })).code).toBe(7)
    proxy.fate = () => 'pass'
    for (let i = 0; i < 2; i++) expect((await run([...agent, ...idle], { env })).code).toBe(0)
    const { memories } = await json<{ memories: Memory[] }>(['list', ...AGENT], { env })
    expect(memories.map(({ content }) => content)).toEqual(['Takes 60s to start'])
  })

  it('[B01] [B06] the container of an agent: personality and memories in, commits and learnings out', async () => {
    const { folder, json, prefix, env } = at()
    await createTables({ ...local, prefix })
    const client = new DynamoDBClient(local)
    const now = new Date().toISOString()
    // As the published helpers write them.
    await client.send(
      new PutItemCommand({
        TableName: `${prefix}agent-personalities`,
        Item: {
          agentName: { S: 'nori' },
          displayName: { S: 'Nori the coder' },
          persona: { S: 'A calm coder.' },
          traits: { L: [{ S: 'thorough' }] },
          communicationStyle: { S: 'Short sentences' },
          updatedAt: { S: now },
        },
      }),
    )
    await client.send(
      new PutItemCommand({
        TableName: `${prefix}agent-memories`,
        Item: {
          id: { S: '01JNA0000000000000000000AB' },
          agentProjectKey: { S: 'nori#shop' },
          createdAt: { S: now },
          agentName: { S: 'nori' },
          projectId: { S: 'shop' },
          content: { S: 'The checkout test is flaky' },
          source: { S: 'extraction' },
        },
      }),
    )
    const text = '[MEMORY:behavior:login] The login needs a cookie'
    const { origin, step } = container(folder, env, text)
    await step('shop')
    const seen = readFileSync(join(folder, 'seen'), 'utf8')
    expect(seen).toMatch(/# Personality[\s\S]*A calm coder\./)
    expect(seen).toContain('The checkout test is flaky')
    expect(seen).toMatch(/Nori the coder/)
    expect(git(origin, 'log', '-1', '--format=%s', 'HEAD')).toBe('done')
    const itemsOf = async (key: string) => {
      const { Items: items = [] } = await client.send(
        new QueryCommand({
          TableName: `${prefix}agent-memories`,
          KeyConditionExpression: 'agentProjectKey = :k',
          ExpressionAttributeValues: { ':k': { S: key } },
        }),
      )
      return items.map(({ content, source }) => [content?.S, source?.S])
    }
    expect(await itemsOf('nori#shop')).toEqual([['The checkout test is flaky', 'extraction']])
    // Markers are about the project and are stored there.
    expect(await itemsOf('@project#shop')).toEqual([['The login needs a cookie', 'extraction']])
    client.destroy()
    // The same agent in another project has the same personality, but none of the memories.
    await step('other')
    const elsewhere = readFileSync(join(folder, 'seen'), 'utf8')
    expect(elsewhere).toContain('A calm coder.')
    expect(elsewhere).not.toContain('The checkout test is flaky')
    expect(await json(['personality', 'get', 'nori'], { env })).toMatchObject({ displayName: 'Nori the coder' })
  })

  it('[B06] a container whose store is away ends as its agent did, and the next one delivers from the volume what it said', async () => {
    const proxy = await startProxy(local.endpoint)
    onTestFinished(() => proxy.close())
    const { folder, json, prefix, env } = at(proxy.endpoint)
    await createTables({ ...local, prefix })
    const { step } = container(folder, env, '[MEMORY:timing:web] Takes 60s to start')
    const volume = join(folder, 'volume')
    const box = (name: string) => ({
      ...{ HOME: join(folder, name), XDG_STATE_HOME: join(folder, name, 'state'), NOKOSU_STATE: volume },
      NOKOSU_STORE_TIMEOUT: '3',
    })
    proxy.fate = () => 'drop'
    await expect(step('shop', { ...box('first'), AGENT_EXIT: '7' })).rejects.toMatchObject({ code: 7 })
    expect(existsSync(volume)).toBe(true)
    proxy.fate = () => 'pass'
    const silent = { ...box('second'), AGENT_COMMAND: 'true', NOKOSU_STORE_TIMEOUT: '120' }
    for (let i = 0; i < 2; i++) await step('shop', silent)
    const list = ['list', '--agent', 'nori', '--project', 'shop']
    const { memories } = await json<{ memories: Memory[] }>(list, { env })
    expect(memories.map(({ content }) => content)).toEqual(['Takes 60s to start'])
  })

  it('a slow store is waited for: ten seconds by default', async () => {
    const proxy = await startProxy(local.endpoint)
    onTestFinished(() => proxy.close())
    const { folder, prefix, env } = at(proxy.endpoint)
    await createTables({ ...local, prefix })
    const { step } = container(folder, env, 'done')
    let isFirst = true
    proxy.fate = async (): Promise<Fate> => {
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 2100))
      isFirst = false
      return 'pass'
    }
    const { stderr } = await step('shop')
    expect(stderr).not.toContain('without its memory')
  })

  it('an id of few or odd characters is brought back', async () => {
    const { run, json, prefix, env } = at()
    await createTables({ ...local, prefix })
    const client = new DynamoDBClient(local)
    const scope = ['--agent', 'nori', '--project', 'shop']
    for (const [i, id] of ['7', 'a b#c', 'ünï "q"', '01jna0000000000000000000ab'].entries()) {
      const [agentProjectKey, createdAt] = [{ S: 'nori#shop' }, { S: new Date(Date.now() + i).toISOString() }]
      const Item = { id: { S: id }, agentProjectKey, createdAt, content: { S: `Fact ${i} of the shop` } }
      await client.send(new PutItemCommand({ TableName: `${prefix}agent-memories`, Item }))
      expect((await run(['delete', id, '--yes', ...scope], { env })).code).toBe(0)
      expect(await json(['undelete', id, ...scope], { env })).toMatchObject({ memory: { id } })
    }
    client.destroy()
  })
})
