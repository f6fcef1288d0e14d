import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shop } from './plugin-space.ts'
import { finish, workspace } from './run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('the launcher', () => {
  /** The plugin in a separate package, with a `node` or `nokosu` that the test writes. */
  function packageIn(folder: string, files: Record<string, string>): string {
    cpSync(join(ROOT, 'plugin'), join(folder, 'plugin'), { recursive: true })
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
      chmodSync(join(folder, name), 0o755)
    }
    return join(folder, 'plugin/bin/nokosu')
  }
  const BIN = readFileSync(join(ROOT, 'bin/nokosu.mjs'), 'utf8')
  const run = (launcher: string, args: readonly string[], path = '/usr/bin:/bin') => {
    const child = spawn('/bin/sh', [launcher, ...args], { env: { PATH: path }, stdio: 'pipe' })
    child.stdin.on('error', () => {})
    child.stdin.end('{}')
    return finish(child)
  }

  it('an older Node ends a hook quietly with a hint, and a command with its error', async () => {
    const { folder } = workspace()
    const pretend = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } })'
    const flag = `--import=data:text/javascript,${encodeURIComponent(pretend)}`
    const node = `#!/bin/sh\nexec '${process.execPath}' '${flag}' "$@"\n`
    const launcher = packageIn(folder, { 'bin/nokosu.mjs': BIN, 'node_modules/.bin/node': node })
    const hint = { stdout: '', stderr: expect.stringContaining('needs Node 22.13') }
    expect(await run(launcher, ['hook', 'session-start'])).toMatchObject({ code: 0, ...hint })
    expect(await run(launcher, ['list'])).toMatchObject({ code: 3, ...hint })
  })

  it('copied away from its package, it takes the nokosu on the PATH, never itself', async () => {
    const { folder } = workspace()
    const launcher = packageIn(folder, { 'else where/nokosu': '#!/bin/sh\necho "other: $*"\nexit 5\n' })
    const own = join(folder, 'plugin/bin')
    const path = `${own}:${join(folder, 'else where')}:/usr/bin:/bin`
    expect(await run(launcher, ['search', "it's here"], path)).toEqual({
      code: 5,
      stdout: "other: search it's here\n",
      stderr: '',
    })
    expect((await run(launcher, ['hook', 'session-end'], path)).code).toBe(0)
    const missing = await run(launcher, ['hook', 'session-start'], `${own}:/usr/bin:/bin`)
    expect(missing).toEqual({ code: 0, stdout: '', stderr: expect.stringContaining('npm install -g nokosu') })
    expect((await run(launcher, ['search', 'x'], `${own}:/usr/bin:/bin`)).code).toBe(127)
  })

  it('without any Node it says so', async () => {
    const { folder } = workspace()
    const launcher = packageIn(folder, { 'bin/nokosu.mjs': BIN, 'tools/.keep': '' })
    for (const tool of ['dirname', 'cat']) {
      writeFileSync(join(folder, 'tools', tool), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${tool} "$@"\n`, { mode: 0o755 })
    }
    const { code, stderr } = await run(launcher, ['hook', 'session-start'], join(folder, 'tools'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Node was not found') })
  })
})

it('the project is printed as one word of a shell', async () => {
  const { folder, launch } = shop()
  const print = async (project: string) => (await launch(['hook', 'project'], '', { NOKOSU_PROJECT: project })).stdout
  expect(await print('shop')).toBe('--project shop\n')
  for (const odd of ["it's; $(reboot) `x`", '-rf', 'a b', '日本', '~']) {
    const shown = (await print(odd)).trimEnd().slice('--project '.length)
    expect(execFileSync('sh', ['-c', `printf %s ${shown}`], { cwd: folder, encoding: 'utf8' })).toBe(odd)
  }
})

describe('nokosu plugin', () => {
  it('prints the folder of the plugin', async () => {
    const { run, json } = workspace()
    expect((await run(['plugin', 'path'])).stdout).toBe(`${join(ROOT, 'plugin')}\n`)
    expect(await json(['plugin', 'path'])).toEqual({ path: join(ROOT, 'plugin') })
  })

  it('has the version of the package', () => {
    const versionOf = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')).version
    expect(versionOf('plugin/.claude-plugin/plugin.json')).toBe(versionOf('package.json'))
  })

  it('without Claude Code it says what still works', async () => {
    const { folder, failure } = workspace()
    const env = { PATH: folder }
    for (const command of ['install', 'validate']) {
      expect(await failure(['plugin', command], { env })).toMatchObject({
        exit: 3,
        code: 'MISSING_DEPENDENCY',
        message: expect.stringContaining(`claude --plugin-dir ${join(ROOT, 'plugin')}`),
      })
    }
  })

  it('refuses a scope that there is not, and a folder without a plugin', async () => {
    const { folder, failure } = workspace()
    expect(await failure(['plugin', 'install', '--scope', 'galaxy'])).toMatchObject({ exit: 2 })
    expect(await failure(['plugin', 'install', '--dir', folder])).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
  })

  it('a claude that refuses is an error that says what it said', async () => {
    const { folder, failure } = workspace()
    writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho "marketplaces are blocked by policy" >&2\nexit 1\n', {
      mode: 0o755,
    })
    const error = await failure(['plugin', 'install'], { env: { PATH: `${folder}:/usr/bin:/bin` } })
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('blocked by policy') })
  })
})
