import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { workspace } from '../surfaces/run-cli.ts'
import { startServer } from './start-server.ts'

const CLIENT = join(import.meta.dirname, '../../clients/python')

async function python(env: Record<string, string>, ...args: string[]) {
  const child = spawn('python3', ['-W', 'error', '-B', ...args], { cwd: CLIENT, env: { ...process.env, ...env } })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}

it('the Python client passes its own tests against a server, and the sample of its README runs', async () => {
  const server = await startServer(workspace().folder, [], { NOKOSU_EMBEDDING: 'hashing' })
  onTestFinished(async () => {
    server.child.kill()
    await server.ended
  })
  const token = server.asOperator.authorization!.replace('Bearer ', '')
  const env = { NOKOSU_DB: server.url, NOKOSU_TOKEN: token, PYTHONPATH: CLIENT }
  const { code, stderr } = await python(env, '-m', 'unittest', 'discover', '-s', 'tests')
  expect(stderr).toMatch(/Ran \d+ tests/)
  expect(code, stderr).toBe(0)

  const sample = readFileSync(join(CLIENT, 'README.md'), 'utf8').match(/```python\n([\s\S]*?)```/)![1]!
  expect(await python(env, '-c', sample)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\n0\.\d\d {2}Caddy must start after WireGuard\n$/),
  })
})
