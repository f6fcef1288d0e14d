import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { startCli, workspace } from './run-cli.ts'

/** `nokosu serve` in a separate process; `port` restarts an earlier one. */
async function startServer(folder: string, state: string, port = 0, flags: string[] = []) {
  const db = `sqlite:${join(folder, 'server.db')}`
  const child = startCli(['serve', '--json', '--port', String(port), '--db', db, ...flags], {
    cwd: folder,
    env: { XDG_STATE_HOME: state },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout!.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('}')) resolve(text)
    })
  })
  return { child, ...(JSON.parse(printed) as { url: string; port: number }) }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await ended
}

it('the command line, a run and a hook use a server as their store; when it is away nothing is lost, and it delivers what waits', async () => {
  const { folder, run, json, failure } = workspace()
  const state = join(folder, 'state')
  const server = await startServer(folder, state)
  const env = { NOKOSU_DB: server.url, XDG_STATE_HOME: state, NOKOSU_PROJECT: 'shop', NOKOSU_HOOK_TIMEOUT: '120' }
  await json(['add', 'Prices are in cents'], { env })
  const shown = ['run', '--store-timeout', '60', '--agent', 'nori', '--extract', 'off', '--', 'sh', '-c']
  const first = await run(
    [
      ...shown,
      'cat CLAUDE.md .claude/memory/MEMORY.md 2>/dev/null; echo "[MEMORY:timing:jellyfin] Takes 60s to start"',
    ],
    { env },
  )
  expect(first.code).toBe(0)
  const list = async () => (await json<{ memories: Memory[] }>(['list', '--project', 'shop'], { env })).memories
  expect((await list()).map(({ content }) => content)).toEqual(['Takes 60s to start', 'Prices are in cents'])
  expect((await run(['context', '--agent', 'nori'], { env })).stdout).toContain('Takes 60s to start')
  const session = JSON.stringify({ session_id: 's1', hook_event_name: 'SessionStart', cwd: folder, source: 'startup' })
  expect((await run(['hook', 'session-start'], { env, input: session })).stdout).toContain('Prices are in cents')

  await stop(server.child)
  expect(await failure(['list'], { env })).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true, exit: 8 })
  const away = await run([...shown, 'echo "[MEMORY:dependency:caddy] Needs DNS first"; exit 3'], { env })
  expect(away).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be reached') })
  const [name] = readdirSync(join(state, 'nokosu/spool'))
  const waiting = () => readdirSync(join(state, 'nokosu/spool', name!)).filter((file) => file.endsWith('.jsonl'))
  expect(waiting()).toHaveLength(1)

  // It shares only the machine's state folder with that run.
  await startServer(folder, state, server.port)
  await expect.poll(waiting).toEqual([])
  expect((await list()).map(({ content }) => content)).toContain('Needs DNS first')
  // Nothing of this remains in the project's folder.
  expect(existsSync(join(folder, '.nokosu'))).toBe(false)
})

interface Report {
  ok: boolean
  checks: { name: string; status: string; message: string; fix: string | null }[]
}

it('doctor tells whether the server answers, its version, what the token opens and that vectors are made there', async () => {
  const { folder, run, json } = workspace()
  const { url } = await startServer(folder, join(folder, 'state'))
  const { ok, checks } = await json<Report>(['doctor', '--db', url])
  expect(ok).toBe(true)
  const of = (name: string) => checks.find((check) => check.name === name)
  expect(of('server')).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/Nokosu \d+\.\d+\.\d+, answered in/),
  })
  expect(of('token')).toMatchObject({ status: 'ok', message: expect.stringContaining('scope write') })
  expect(of('embed')).toMatchObject({ status: 'ok', message: expect.stringContaining('made on the server') })
  expect(of('store')).toMatchObject({ status: 'ok' })

  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const gone = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
  closed.close()
  const nowhere = await run(['doctor', '--json', '--db', gone])
  expect(nowhere.code).toBe(1)
  const { checks: away } = JSON.parse(nowhere.stdout) as Report
  // Reported once, with a fix.
  expect(away.filter(({ status }) => status === 'fail')).toEqual([
    {
      name: 'server',
      status: 'fail',
      message: `The server at ${gone} cannot be reached (ECONNREFUSED).`,
      fix: expect.stringContaining('nokosu serve'),
    },
  ])
})

it('doctor warns of a spool that goes with its container, unless NOKOSU_STATE keeps it', async () => {
  const { folder, json } = workspace()
  const { url } = await startServer(folder, join(folder, 'state'))
  const spool = async (env: Record<string, string>) => {
    const { checks } = await json<Report>(['doctor', '--db', url], { env: { container: 'oci', ...env } })
    return checks.find(({ name }) => name === 'spool')
  }
  expect(await spool({ HOME: folder, NOKOSU_STATE: '' })).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('inside this container'),
    fix: expect.stringContaining('NOKOSU_STATE'),
  })
  expect(await spool({ NOKOSU_STATE: join(folder, 'volume') })).toMatchObject({ status: 'ok' })
})

it('doctor tells of a token that is not enough, and which is', async () => {
  const { folder, run, json } = workspace()
  const db = `sqlite:${join(folder, 'server.db')}`
  const { secret } = await json<{ secret: string }>([...'token create --name reader --scope read --db'.split(' '), db])
  const { url } = await startServer(folder, join(folder, 'state'))
  const env = { NOKOSU_TOKEN: secret, NOKOSU_STATE: join(folder, 'state') }
  const asked = await run(['doctor', '--json', '--db', url], { env })
  const warned = (JSON.parse(asked.stdout) as Report).checks.filter(({ status }) => status !== 'ok')
  expect(warned).toMatchObject([{ name: 'token', status: 'warn', fix: expect.stringContaining('scope write') }])
  expect(asked.code).toBe(0)
})

it('a run behind a server that accepts and stays silent begins without it and ends as its agent did', async () => {
  const { folder, run } = workspace()
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const env = {
    NOKOSU_DB: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    XDG_STATE_HOME: join(folder, 'state'),
    NOKOSU_PROJECT: 'shop',
  }
  const script = 'echo "[MEMORY:dependency:caddy] Needs DNS first"; exit 3'
  const { code, stderr } = await run(['run', '--extract', 'off', '--', 'sh', '-c', script], { env })
  expect(code).toBe(3)
  expect(stderr).toContain('The agent starts without memories')
  expect(stderr).toContain('1 in the spool')
})

it('[X4] a token of the project is enough for a run, its hooks and the spool; the agent gets one of the run’s own project and agent', async () => {
  const { folder, run, json } = workspace()
  const state = join(folder, 'state')
  const db = ['--db', `sqlite:${join(folder, 'server.db')}`]
  const create = ['token', 'create', '--name', 'laptop', '--scope', 'write', '--project', 'shop']
  const { secret } = await json<{ secret: string }>([...create, ...db])
  const server = await startServer(folder, state, 0, ['--require-token'])
  const machine = { NOKOSU_DB: server.url, XDG_STATE_HOME: state, NOKOSU_PROJECT: 'shop', NOKOSU_HOOK_TIMEOUT: '120' }
  const env = { ...machine, NOKOSU_TOKEN: secret }
  await json(['add', 'Prices are in cents'], { env })
  const script = [
    'env > seen.env',
    'nokosu() { "$NODE" "$BIN" "$@"; }',
    'nokosu search prices --json > found.json',
    'nokosu add "Taxes are computed per line" --json > added.json',
    'nokosu list --project blog --json > foreign.json 2>&1',
    'nokosu list --all --json > all.json 2>&1',
    'echo "[MEMORY:timing:jellyfin] Takes 60s to start"',
  ].join('\n')
  const inside = { ...env, NODE: process.execPath, BIN: join(import.meta.dirname, '../../bin/nokosu.mjs') }
  const flags = ['--store-timeout', '120', '--agent', 'nori', '--extract', 'off']
  const ran = await run(['run', ...flags, '--', 'sh', '-c', script], { env: inside })
  expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  expect(read('seen.env')).not.toContain(secret)
  expect(read('seen.env')).not.toMatch(/^NOKOSU_TOKEN=/m)
  expect(read('found.json')).toContain('Prices are in cents')
  expect(JSON.parse(read('added.json'))).toMatchObject({
    memory: { trust: 'agent', identifiers: { projectId: 'shop' } },
  })
  for (const name of ['foreign.json', 'all.json']) expect(read(name)).toContain('UNAUTHORIZED')
  const weaker = /^NOKOSU_RUN_TOKEN=(.*)$/m.exec(read('seen.env'))![1]!
  const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${weaker}` } })
  expect(await (await ask('/api/caller')).json()).toMatchObject({
    scope: 'write',
    identifiers: { projectId: 'shop', agentId: 'nori' },
  })
  expect((await ask('/api/memories?projectId=blog')).status).toBe(403)
  const { memories } = await json<{ memories: Memory[] }>(['list', '--project', 'shop'], { env })
  expect(memories.map(({ content }) => content).sort()).toEqual([
    'Prices are in cents',
    'Takes 60s to start',
    'Taxes are computed per line',
  ])
  const session = JSON.stringify({ session_id: 's1', hook_event_name: 'SessionStart', cwd: folder, source: 'startup' })
  expect((await run(['hook', 'session-start'], { env, input: session })).stdout).toContain('Prices are in cents')
  const { ok, checks } = await json<Report>(['doctor'], { env })
  expect([ok, checks.find(({ name }) => name === 'token')?.message]).toEqual([
    true,
    'laptop; scope write: bound to projectId shop',
  ])
  const astray = { ...env, NOKOSU_PROJECT: 'shop~1a2b3c4d' }
  const wrong = await run(['doctor'], { env: astray })
  expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('this folder is project shop~1a2b3c4d')])
  expect(wrong.stdout).toContain('NOKOSU_PROJECT=shop.')
  const refused = await run(['list'], { env: astray })
  expect(refused.stderr).toContain('does not give access to projectId shop~1a2b3c4d: it is bound to projectId shop.')
  expect(refused.stderr).toContain('--project shop, or NOKOSU_PROJECT=shop.')

  // Pending records are sent with the same token, and no other project's.
  await stop(server.child)
  await run(
    [
      ...['run', '--store-timeout', '2', '--extract', 'off', '--', 'sh', '-c'],
      'echo "[MEMORY:dependency:caddy] Needs DNS first"',
    ],
    { env },
  )
  const { secret: other } = await json<{ secret: string }>([...create.with(3, 'other').with(-1, 'blog'), ...db])
  const elsewhere = join(folder, 'elsewhere')
  await startServer(folder, elsewhere, server.port, ['--require-token'])
  await run(['add', 'The blog deploys at night'], { env: { ...env, NOKOSU_PROJECT: 'blog', NOKOSU_TOKEN: other } })
  await json(['add', 'Refunds take a day'], { env })
  const after = await json<{ memories: Memory[] }>(['list', '--project', 'shop'], { env })
  expect(after.memories.map(({ content }) => content)).toEqual(
    expect.arrayContaining(['Needs DNS first', 'Refunds take a day']),
  )
})

it('with a token of one agent what finds nothing says so, and a capture may name its session', async () => {
  const { folder, run, json } = workspace()
  const state = join(folder, 'state')
  const db = ['--db', `sqlite:${join(folder, 'server.db')}`]
  const scope = ['--project', 'shop', '--agent', 'nori']
  const { secret } = await json<{ secret: string }>([
    ...'token create --name nori --scope write'.split(' '),
    ...scope,
    ...db,
  ])
  const server = await startServer(folder, state, 0, ['--require-token'])
  const env = { NOKOSU_DB: server.url, XDG_STATE_HOME: state, NOKOSU_TOKEN: secret }
  for (const args of [['search', 'slow', 'start'], ['list']]) {
    const { code, stderr } = await run([...args, ...scope], { env })
    expect([code, stderr.includes('UNAUTHORIZED')], args[0]).toEqual([0, false])
  }
  const input = '[MEMORY:timing:web] Takes 60s to start\n'
  const captured = await run(['capture', '--format', 'text', '--session', 'run-1', ...scope], { env, input })
  expect([captured.code, captured.stderr.includes('UNAUTHORIZED')]).toEqual([0, false])
  expect((await run(['search', 'web', 'start', ...scope], { env })).stdout).toContain('Takes 60s to start')
})
