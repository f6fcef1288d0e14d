import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/remote-store.ts'
import { StoreClient, type StoreCommand } from './client.ts'

/** A process that reads requests as `request` and replies with `answer(value)`. */
function store(handle: string, cwd = temporaryFolder()): StoreCommand {
  const script = `
    const fs = require('node:fs')
    fs.appendFileSync('started', process.pid + '\\n')
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const request = JSON.parse(line)
      const answer = (value) => process.stdout.write(JSON.stringify({ id: request.id, value }) + '\\n')
      ${handle}
    })`
  return { program: process.execPath, args: ['-e', script], cwd, env: process.env }
}

function connect(command: StoreCommand): StoreClient {
  const client = new StoreClient(command)
  onTestFinished(() => client.close(0))
  return client
}

const profile = (client: StoreClient, agent: string, boundMs = 60_000) =>
  client.request('profile', { agent }, { boundMs })

it('start resolves when the process says that it is there, or is gone, or takes too long', async () => {
  const says = connect(store(''))
  const command = {
    ...store(''),
    args: ['-e', 'console.log(JSON.stringify({ id: -1, value: null })); setInterval(() => {}, 1000)'],
  }
  await connect(command).start(120_000)
  await connect({ ...command, program: join(command.cwd, 'no-program') }).start(120_000)
  await says.start(50)
})

it('each answer finds its question, in whatever order they come', async () => {
  const client = connect(
    store(`setTimeout(() => answer(request.input.agent), request.input.agent === 'slow' ? 200 : 0)`),
  )
  expect(await Promise.all([profile(client, 'slow'), profile(client, 'quick')])).toEqual(['slow', 'quick'])
})

it('a store that does not answer costs the bound, and its late answer disturbs nobody', async () => {
  const client = connect(
    // The late answer arrives with the next request.
    store(
      `const late = globalThis.late; if (request.input.agent === 'slow') globalThis.late = request; else { if (late) process.stdout.write(JSON.stringify({ id: late.id, value: 'late' }) + '\\n'); answer(request.input.agent) }`,
    ),
  )
  await profile(client, 'warm', 60_000)
  await expect(profile(client, 'slow', 200)).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    message: 'The store did not answer within 0.2 s.',
  })
  expect(await profile(client, 'next', 60_000)).toBe('next')
})

it('an error of the store keeps its code', async () => {
  const error = { code: 'CONTENT_TOO_LONG', message: 'Too long.', details: { maxLength: 5 }, retryable: false }
  const client = connect(
    store(`process.stdout.write(JSON.stringify({ id: request.id, error: ${JSON.stringify(error)} }) + '\\n')`),
  )
  await expect(profile(client, 'x')).rejects.toMatchObject({ name: 'MemoryError', ...error })
})

it('whatever else the process prints is no answer', async () => {
  const client = connect(store(`console.log('Warning: hello'); console.log('{}'); answer('yes')`))
  expect(await profile(client, 'x')).toBe('yes')
})

it('a process that is killed fails what was asked at once, and the next request starts another', async () => {
  const command = store(
    `if (request.input.agent === 'die') process.kill(process.pid, 'SIGKILL'); else answer(request.input.agent)`,
  )
  const client = connect(command)
  await expect(profile(client, 'die')).rejects.toMatchObject({ message: 'The process of the store ended (SIGKILL).' })
  expect(await profile(client, 'again')).toBe('again')
  expect(readFileSync(join(command.cwd, 'started'), 'utf8').trim().split('\n')).toHaveLength(2)
})

it('a process that cannot be started is an error like any other', async () => {
  const client = connect({ program: join(temporaryFolder(), 'nothing'), args: [], cwd: temporaryFolder(), env: {} })
  await expect(profile(client, 'x')).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringContaining('cannot be started'),
  })
})

it('a reset ends the process at once, and the next request starts another', async () => {
  const command = store(`if (request.input.agent !== 'hang') answer(request.input.agent)`)
  const client = connect(command)
  expect(await profile(client, 'first')).toBe('first')
  const hanging = profile(client, 'hang', 60_000)
  const failed = expect(hanging).rejects.toMatchObject({ message: 'The process of the store ended (SIGKILL).' })
  await client.reset()
  await failed
  expect(await profile(client, 'second')).toBe('second')
})

it('closing lets the process finish within the patience, and ends it after that', async () => {
  const folder = temporaryFolder()
  const finishing = connect(
    store(`fs.writeFileSync('asked', ''); setTimeout(() => fs.writeFileSync('finished', ''), 300)`, folder),
  )
  void profile(finishing, 'x').catch(() => {})
  await expect.poll(() => existsSync(join(folder, 'asked'))).toBe(true)
  await finishing.close(60_000)
  expect(existsSync(join(folder, 'finished'))).toBe(true)
  const hanging = store(`setInterval(() => {}, 1000)`)
  const client = connect(hanging)
  void profile(client, 'x').catch(() => {})
  await expect.poll(() => existsSync(join(hanging.cwd, 'started'))).toBe(true)
  await client.close(200)
  const pid = Number(readFileSync(join(hanging.cwd, 'started'), 'utf8'))
  await expect.poll(() => isAlive(pid)).toBe(false)
  await expect(profile(client, 'x')).rejects.toMatchObject({ message: expect.stringContaining('closed') })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.each([
  ['does not hold its process open', '', null],
  ['does not hear its Ctrl-C', "process.kill(-process.pid, 'SIGINT')", 'SIGINT'],
])('an open connection %s, and what was asked is still done', async (_, last, ending) => {
  const folder = temporaryFolder()
  const command = store(
    `answer('yes'); setInterval(() => { if (fs.existsSync('go')) { fs.writeFileSync('later', ''); process.exit(0) } }, 20)`,
    folder,
  )
  const main = join(folder, 'main.mts')
  writeFileSync(
    main,
    `import { StoreClient } from ${JSON.stringify(join(import.meta.dirname, 'client.ts'))}
    const client = new StoreClient(${JSON.stringify({ ...command, env: {} })})
    console.log(await client.request('profile', { agent: 'x' }, { boundMs: 60_000 }))
    ${last}`,
  )
  const child = spawn(process.execPath, [main], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  const [, signal] = await once(child, 'close')
  expect({ said: String(Buffer.concat(parts)), signal }).toEqual({ said: 'yes\n', signal: ending })
  // The store's process outlived its caller.
  writeFileSync(join(folder, 'go'), '')
  await expect.poll(() => existsSync(join(folder, 'later'))).toBe(true)
})
