import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { type Started, startServer } from '../http/start-server.ts'
import { workspace } from '../surfaces/run-cli.ts'
import { samplesOf, typedIn } from './samples.ts'

/** The page's commands, as their arguments. Sign-in, quotas and the log are tested closely in test/http. */
const COMMANDS = samplesOf('docs/teams.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(typedIn)
  .map(({ command }) => command.replaceAll(/\\\n/g, ' ').trim().split(/\s+/).slice(1))
  .map((args) => args.map((arg) => arg.replaceAll("'", '')))
const isServe = ([name]: readonly string[]) => name === 'serve'

/** Follows the page: the directory and the tokens, then a server with its flags, but on loopback. */
async function followed() {
  const space = workspace()
  const made = new Map<string, string>()
  for (const args of COMMANDS.filter((each) => !isServe(each))) {
    const { code, stdout, stderr } = await space.run([...args.filter((arg) => arg !== '--json'), '--json'])
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0)
    if (args[1] === 'create') made.set(args[args.indexOf('--name') + 1]!, JSON.parse(stdout).secret)
  }
  await space.json(['add', '--team', 'red', 'Red deploys on Tuesdays'])
  await space.json(['add', '--company', 'acme', 'Acme writes in English'])
  const [serve] = COMMANDS.filter(isServe)
  const flags = serve!.slice(1).map((arg) => ({ '0.0.0.0': '127.0.0.1', '10.0.3.0/24': '127.0.0.1' })[arg] ?? arg)
  const server = await startServer(space.folder, flags)
  onTestFinished(async () => {
    server.child.kill()
    await server.ended
  })
  return { ...space, made, server, ask: asking(server) }
}

function asking({ port, url }: Started) {
  return (headers: Record<string, string>, method: string, path: string, body?: object) =>
    new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const own = { ...headers, ...(body ? { 'content-type': 'application/json', origin: url } : {}) }
      const asked = request({ port, host: '127.0.0.1', method, path, headers: own }, (answer) => {
        let text = ''
        answer.on('data', (part) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, text, headers: answer.headers }))
      })
      asked.on('error', reject)
      asked.end(body && JSON.stringify(body))
    })
}

it('docs/teams.md, followed: teams do not see each other, people sign in, and the log says who did what', async () => {
  const { made, ask, json, run, server } = await followed()
  const as = (name: string) => ({ authorization: `Bearer ${made.get(name)}` })
  const alice = { 'x-forwarded-user': 'alice@example.com' }
  const someone = { 'x-forwarded-user': 'someone@example.com' }

  const PROJECTS: Record<string, string> = { 'red-agents': 'shop', 'blue-agents': 'blog' }
  const env = (name: string) => ({
    NOKOSU_DB: server.url,
    NOKOSU_TOKEN: made.get(name)!,
    NOKOSU_PROJECT: PROJECTS[name]!,
  })
  await json(['add', 'The staging queue is emptied at noon'], { env: env('red-agents') })
  await json(['add', 'Posts are frozen on Fridays'], { env: env('blue-agents') })
  const read = async (name: string) => (await run(['context'], { env: env(name) })).stdout
  const [red, blue] = [await read('red-agents'), await read('blue-agents')]
  expect(red).toContain('emptied at noon')
  expect(red).toContain('Red deploys on Tuesdays')
  expect(red).toContain('Acme writes in English')
  expect(blue).toContain('Posts are frozen')
  expect(blue).toContain('Acme writes in English')
  expect(blue).not.toMatch(/emptied|Red deploys/)
  const into = (projectId: string) => ({ layer: 'project', identifiers: { projectId }, content: 'Mine now' })
  expect((await ask(as('blue-agents'), 'GET', '/api/memories?projectId=shop')).status).toBe(403)
  expect((await ask(as('blue-agents'), 'POST', '/api/memories', into('shop'))).status).toBe(403)
  expect((await ask(as('red-people'), 'POST', '/api/memories', into('shop'))).status).toBe(403)
  expect((await ask(as('red-people'), 'GET', '/api/memories?projectId=shop')).text).toContain('emptied at noon')
  const team = { layer: 'team', identifiers: { projectId: 'shop', teamId: 'red' }, content: 'For the team' }
  expect((await ask(as('red-agents'), 'POST', '/api/memories', team)).status).toBe(403)
  for (const name of ['red-agents', 'red-people']) {
    expect((await ask(as(name), 'GET', '/api/directory')).status).toBe(403)
    expect((await ask(as(name), 'POST', '/api/engine/tokens.list', { args: [] })).status).toBe(403)
  }

  // People: by the proxy's header.
  expect(JSON.parse((await ask(alice, 'GET', '/api/caller')).text)).toMatchObject({ scope: 'admin' })
  expect(JSON.parse((await ask(someone, 'GET', '/api/caller')).text)).toMatchObject({ scope: 'read' })
  expect((await ask({}, 'GET', '/api/caller')).status).toBe(401)
  expect((await ask(someone, 'POST', '/api/memories', into('shop'))).status).toBe(403)

  // Quotas are listed, and the log has who made them.
  expect((await run(['token', 'list'])).stdout).toContain('120 requests/min, 2000 writes/day')
  const revoke = { args: ['red-agents'] }
  expect((await ask(alice, 'POST', '/api/engine/tokens.revoke', revoke)).status).toBe(200)
  await expect
    .poll(async () => (await ask(as('red-agents'), 'GET', '/api/caller')).status, { timeout: 60_000 })
    .toBe(401)
  const { entries } = await json<{ entries: { act: string; by: string; via: string }[] }>(['audit'])
  expect(entries[0]).toMatchObject({ act: 'token revoke', by: 'alice@example.com', via: 'sso', from: '127.0.0.1' })
  expect(entries.at(-1)).toMatchObject({ act: 'directory set', by: 'cli', via: 'process' })
  const listed = await run(['audit', '--limit', '1'])
  expect(listed.stdout).toMatch(/alice@example\.com \(sso\) +127\.0\.0\.1 +token revoke +token red-agents/)
  expect((await ask(as('ops'), 'GET', '/api/audit?since=2026-03-01')).status).toBe(200)
  expect((await ask(someone, 'GET', '/api/audit')).status).toBe(403)
})

it('a run whose token has used up its day keeps what it recorded on its machine', async () => {
  const { folder, run, json } = workspace()
  const { secret } = await json<{ secret: string }>(
    'token create --name ci --scope write --project shop --writes-per-day 1'.split(' '),
  )
  const server = await startServer(folder, ['--require-token'])
  onTestFinished(async () => {
    server.child.kill()
    await server.ended
  })
  const env = { NOKOSU_DB: server.url, NOKOSU_TOKEN: secret, XDG_STATE_HOME: `${folder}/state`, NOKOSU_PROJECT: 'shop' }
  const said = (words: string) => ['--', 'sh', '-c', `echo "[MEMORY:timing:web] ${words}"`]
  const start = ['run', '--store-timeout', '60', '--agent', 'nori', '--extract', 'off']
  expect((await run([...start, ...said('Takes 60s to start')], { env })).stderr).not.toContain('writes')
  const second = await run([...start, ...said('Logs rotate at midnight')], { env })
  expect(second.code).toBe(0)
  const { memories } = await json<{ memories: { content: string }[] }>(['list', '--project', 'shop'])
  expect(memories.map(({ content }) => content)).toEqual(['Takes 60s to start'])
  expect((await run(['doctor'], { env })).stdout).toMatch(/warn +spool .* spooled for the store/)
})
