import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../http/start-server.ts'
import { runCli, workspace } from './run-cli.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')

/** The commands of a section of docs/operations.md, as printed. */
function commandsOf(section: string): string[] {
  const text = page.slice(page.indexOf(`\n## ${section}`))
  return /```sh\n([^`]+)```/.exec(text)![1]!.trim().split('\n')
}

it('a backup and a restore as docs/operations.md prints them bring back everything, and the tokens still work', async () => {
  const { folder, json, run } = workspace()
  await json(['add', '--project', 'shop', 'Deploys need a ticket'])
  await json(['add', '--project', 'shop', 'The backup runs at two'])
  const { memories } = await json<{ memories: { id: string }[] }>(['list', '--project', 'shop'])
  await run(['update', '--project', 'shop', memories[0]!.id, '--importance', '80'])
  await run(['delete', '--project', 'shop', memories[1]!.id, '--yes'])
  const { secret } = await json<{ secret: string }>(['token', 'create', '--name', 'ci', '--scope', 'admin'])
  const rehearse = async (commands: readonly string[]) => {
    for (const command of commands) {
      const [program, ...args] = command.split(/\s+/)
      if (program === 'nokosu') expect(await runCli(args, { cwd: folder }), command).toMatchObject({ code: 0 })
      else execFileSync('sh', ['-c', command], { cwd: folder })
    }
  }
  await rehearse(commandsOf('Backup, while everything runs'))
  const backup = readFileSync(join(folder, 'backup.jsonl'), 'utf8')
  expect(backup).not.toContain(secret)
  writeFileSync(join(folder, 'kept.jsonl'), backup)
  await rehearse(commandsOf('Restore'))

  // The restore and the second backup are in the audit log too.
  const isKept = (line: string) => !line.includes('"type":"audit"')
  const lines = (text: string) => text.trim().split('\n').slice(1).filter(isKept).sort()
  expect(lines((await run(['export', '--all', '--tokens'])).stdout)).toEqual(lines(backup))
  const { url, child, ended } = await startServer(folder, ['--require-token'])
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const ask = (token: string) =>
    fetch(`${url}/api/memories?projectId=shop`, { headers: { authorization: `Bearer ${token}` } })
  expect((await ask(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`)).status).toBe(401)
  const answer = await ask(secret)
  expect(answer.status).toBe(200)
  expect(((await answer.json()) as { memories: { importance: number }[] }).memories).toMatchObject([{ importance: 80 }])
})

it('tokens are exported and restored by an operator only, and only with the whole store', async () => {
  const { folder, run, json } = workspace()
  await json(['add', '--project', 'shop', 'Deploys need a ticket'])
  const { secret } = await json<{ secret: string }>(['token', 'create', '--name', 'ci', '--scope', 'admin'])
  expect(await run(['export', '--project', 'shop', '--tokens'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('only an export of the whole store contains them'),
  })
  const inside = { cwd: folder, env: { NOKOSU_SESSION: 'run-1' } }
  expect((await runCli(['export', '--all', '--tokens'], inside)).code).toBe(6)
  await run(['export', '--all', '--tokens', 'backup.jsonl'])
  const elsewhere = workspace()
  const file = join(folder, 'backup.jsonl')
  expect(await elsewhere.run(['import', file])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Tokens are restored only with --keep-trust'),
  })
  expect(await elsewhere.json(['token', 'list'])).toEqual([])
  expect((await elsewhere.run(['import', file, '--keep-trust'])).code).toBe(0)
  expect(JSON.stringify(await elsewhere.json(['token', 'list']))).toContain('"ci"')
  expect(secret).toMatch(/^nks_/)
})
