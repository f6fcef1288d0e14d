import { expect, it, onTestFinished } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { finish, startCli, workspace } from './run-cli.ts'

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

// With a limit of its own: without the fix the process never ends, and grows.
it('a failure that cannot be reported ends the process, and shows nothing of it', { timeout: 60_000 }, async () => {
  // As when the package is upgraded under a running process: the guard that cleans messages cannot be imported.
  const gone = `import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => next(/redact-secrets/.test(name) ? './gone.js' : name, context) })`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(gone)}` }
  const cwd = workspace().folder
  const start = () => {
    const child = startCli(['get', '--hunter2'], { cwd, env })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  const stderr = expect.stringMatching(/^nokosu: UNEXPECTED .*\n$/)
  const ran = await finish(start())
  expect(ran).toEqual({ code: 1, stdout: '', stderr })
  expect(ran.stderr).not.toContain('hunter2')
  const unread = start()
  unread.stderr!.destroy()
  expect(await finish(unread)).toEqual({ code: 1, stdout: '', stderr: '' })
})
