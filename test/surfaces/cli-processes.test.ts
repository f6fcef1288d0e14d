import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { workspace } from './run-cli.ts'

/** Starts each command for real: bundle or source, lazy import, process output and exit code. */
it.each(Object.keys(COMMANDS))('%s starts in a process of its own', async (name) => {
  const { run } = workspace()
  const ran = await run([name, '--help'], { spawn: true })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toContain(`Usage: nokosu ${name}`)
})

it('a process reads its input, writes its store, and exits with the code of the command', async () => {
  const { run } = workspace()
  const spawn = true
  expect(await run(['add', '--project', 'p', '-'], { spawn, input: 'from a pipe\n' })).toMatchObject({ code: 0 })
  const listed = await run(['list', '--json'], { spawn, env: { NOKOSU_PROJECT: 'p' } })
  expect(JSON.parse(listed.stdout)).toMatchObject({ memories: [{ content: 'from a pipe' }] })
  expect(await run(['list'], { spawn })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('MISSING_IDENTIFIER'),
  })
})
