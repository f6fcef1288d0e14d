import { chmodSync, existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT_NAMES } from '../../src/setup/clients.ts'
import { Setup } from '../../src/setup/setup.ts'
import { workspace } from './run-cli.ts'
import { FILES, home, type Report } from './setup-home.ts'
import { onTerminal } from './terminal.ts'

describe('nokosu setup', () => {
  it('two at once write each entry once, and --undo still gives back the files of before', async () => {
    const { setup, contents, read } = home()
    const before = contents()
    const both = await Promise.all([setup('--yes'), setup('--yes'), setup('--yes')])
    expect(both.flatMap(({ clients }) => clients.map(({ problem }) => problem)).filter(Boolean)).toEqual([])
    expect(read('.cursor/mcp.json').split('"nokosu": {')).toHaveLength(2)
    await Promise.all([setup('--undo', '--yes'), setup('--undo', '--yes')])
    expect(contents()).toEqual(before)
  })

  it('what the user writes while setup asks is kept', async () => {
    const { own, read, write } = home({ '.cursor/mcp.json': '{}' })
    const made = new Setup('/opt/nokosu', { HOME: own, PATH: '' }, ['cursor'])
    const [plan] = made.plan()
    write('.cursor/mcp.json', '{"mcpServers": {"a": {}}}')
    await made.apply(plan!)
    expect(Object.keys(JSON.parse(read('.cursor/mcp.json')).mcpServers)).toEqual(['a', 'nokosu'])
    await made.undo(plan!)
    expect(read('.cursor/mcp.json')).toBe('{"mcpServers": {"a": {}}}')
  })

  it('a link to a file that does not exist stays a link', async () => {
    const { own, env, run, contents } = home({ '.gemini/notes': '' })
    symlinkSync('../dotfiles/settings.json', join(own, '.gemini/settings.json'))
    const before = contents()
    expect(await run(['setup', '--yes'], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('It is a link to a file that does not exist.'),
    })
    expect(contents()).toEqual(before)
  })

  it('writes what each client documents, and finds nothing to change the second time', async () => {
    const { setup, read, contents, changed } = home()
    const first = await setup('--yes')
    expect(first).toMatchObject({ applied: true, program: ['nokosu'] })
    expect(changed(first)).toEqual(CLIENT_NAMES.filter((name) => name !== 'claude-code'))
    expect(read('.codex/config.toml')).toBe(
      `${FILES['.codex/config.toml']}\n\n[mcp_servers.nokosu]\ncommand = "nokosu"\nargs = [ "mcp" ]\n`,
    )
    expect(JSON.parse(read('.codex/hooks.json')).hooks).toEqual({
      Stop: [
        { hooks: [{ type: 'command', command: 'notify-send done' }] },
        { hooks: [{ type: 'command', command: 'nokosu hook stop --client codex', timeout: 5 }] },
      ],
      SessionStart: [
        {
          matcher: 'startup|clear|compact',
          hooks: [{ type: 'command', command: 'nokosu hook session-start --client codex', timeout: 5 }],
        },
      ],
    })
    expect(read('.gemini/settings.json')).toContain(
      '"GITHUB_TOKEN": "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" } }, // github\n\t\t"nokosu": {\n\t\t\t"command": "nokosu",\n\t\t\t"args": ["mcp"]\n\t\t}\n\t},',
    )
    expect(read('.gemini/settings.json')).toContain('"command": "say done"')
    expect(read('.cursor/mcp.json')).toContain(
      '      "nokosu": {\r\n         "command": "nokosu",\r\n         "args": ["mcp", "--workspace", "$' +
        '{workspaceFolder}"]\r\n',
    )
    expect(JSON.parse(read('.cursor/hooks.json'))).toEqual({
      version: 1,
      hooks: {
        sessionStart: [{ command: 'nokosu hook session-start --client cursor' }],
        afterAgentResponse: [{ command: 'nokosu hook stop --client cursor' }],
        sessionEnd: [{ command: 'nokosu hook session-end --client cursor' }],
      },
    })
    expect(JSON.parse(read('.codeium/windsurf/mcp_config.json')).mcpServers.nokosu).toEqual({
      command: 'nokosu',
      args: ['mcp'],
    })
    expect(JSON.parse(read('.codeium/windsurf/hooks.json')).hooks.post_cascade_response).toEqual([
      { command: 'nokosu hook stop --client windsurf' },
    ])
    expect(read('.config/Code/User/mcp.json')).toContain('"type": "stdio",\n            "command": "nokosu"')
    expect(read('.config/zed/settings.json')).toContain(
      '"context_servers": { // servers\n    "nokosu": {\n      "source": "custom",\n      "command": "nokosu",\n      "args": ["mcp"],\n      "env": {}\n    }\n  },\n  "vim_mode": true,\n}',
    )
    expect(read('.config/opencode/opencode.jsonc')).toContain('"command": ["nokosu", "mcp"],\n      "enabled": true')
    const after = contents()
    const second = await setup('--yes')
    expect(second.applied).toBe(false)
    expect(changed(second)).toEqual([])
    expect(contents()).toEqual(after)
  })

  it('--undo leaves no trace, not even the folders and copies that setup made', async () => {
    const { setup, contents } = home()
    const before = contents()
    await setup('--yes')
    expect(contents()).not.toEqual(before)
    await setup('--undo', '--yes')
    expect(contents()).toEqual(before)
    expect((await setup('--undo', '--yes')).applied).toBe(false)
  })

  it('--undo keeps what was changed since', async () => {
    const { setup, read, write } = home()
    await setup('--yes')
    write('.config/zed/settings.json', read('.config/zed/settings.json').replace('"One"', '"Two"'))
    write('.codex/config.toml', `${read('.codex/config.toml')}\n# later\n[later]\na = 1\n`)
    const hooks = JSON.parse(read('.cursor/hooks.json'))
    hooks.hooks.stop = [{ command: 'say' }]
    write('.cursor/hooks.json', JSON.stringify(hooks))
    await setup('--undo', '--yes')
    expect(read('.config/zed/settings.json')).toBe(FILES['.config/zed/settings.json'].replace('"One"', '"Two"'))
    expect(read('.codex/config.toml')).toBe(`${FILES['.codex/config.toml']}\n\n# later\n[later]\na = 1\n`)
    expect(JSON.parse(read('.cursor/hooks.json'))).toEqual({ version: 1, hooks: { stop: [{ command: 'say' }] } })
  })

  it('--dry-run changes nothing, and shows what would change without the secrets around it', async () => {
    const { run, env, contents } = home()
    const before = contents()
    const { code, stdout } = await run(['setup', '--dry-run'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('+ [mcp_servers.nokosu]')
    expect(stdout).toContain('[REDACTED:github-token]')
    expect(stdout).not.toContain('ghp_')
    expect(stdout).toMatch(/^VS Code looks memories up/m)
    expect(contents()).toEqual(before)
  })

  it('asks once, and a no changes nothing', async () => {
    const { folder, env, contents } = home()
    const before = contents()
    const no = await onTerminal(['setup'], { cwd: folder, env, answer: 'n\n' })
    expect(no.stderr).toContain('Change 7 clients?')
    expect(no.stderr).toContain('Nothing was changed.')
    expect(contents()).toEqual(before)
    const yes = await onTerminal(['setup'], { cwd: folder, env, answer: 'y\n' })
    expect(yes.code).toBe(0)
    expect(contents()).not.toEqual(before)
  })

  it('off a terminal it asks for --yes', async () => {
    const { failure, env, contents } = home()
    const before = contents()
    expect(await failure(['setup'], { env })).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'yes' } })
    expect(contents()).toEqual(before)
  })

  it('--only takes one that was not found, and names those that it knows', async () => {
    const { setup, contents, failure, env, read } = home({})
    expect(await setup('--yes')).toMatchObject({ applied: false })
    expect(contents()).toEqual({})
    const { clients } = await setup('--only', 'cursor', '--only', 'zed', '--yes')
    expect(clients.map(({ name }) => name)).toEqual(['cursor', 'zed'])
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.nokosu.command).toBe('nokosu')
    expect(await failure(['setup', '--only', 'emacs'], { env })).toMatchObject({ code: 'INVALID_INPUT' })
    await setup('--undo', '--only', 'zed', '--yes')
    expect(Object.keys(contents())).not.toContain('.config')
    await setup('--undo', '--yes')
    expect(contents()).toEqual({})
  })

  it('an entry named nokosu that is already there stays, also after --undo', async () => {
    const own = '{ "mcpServers": { "nokosu": { "command": "nokosu", "args": ["mcp", "--agent", "nori"] } } }'
    const { setup, read } = home({ '.codeium/windsurf/mcp_config.json': own })
    await setup('--yes')
    expect(read('.codeium/windsurf/mcp_config.json')).toBe(own)
    await setup('--undo', '--yes')
    expect(read('.codeium/windsurf/mcp_config.json')).toBe(own)
  })

  it('a file that cannot be understood stays as it is, and the others are set up', async () => {
    const { run, env, read } = home({ ...FILES, '.config/zed/settings.json': '{ "theme": ' })
    const { code, stdout } = await run(['setup', '--yes'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/Zed: not changed\. .*settings\.json: It is not valid JSON \(line 1\)/)
    expect(read('.config/zed/settings.json')).toBe('{ "theme": ')
    expect(read('.codex/config.toml')).toContain('nokosu')
  })

  it('a link stays a link, and the file keeps its mode', async () => {
    const { setup, own, folder } = home({ '.cursor/x': '' })
    const real = join(folder, 'mcp.json')
    writeFileSync(real, '{}')
    chmodSync(real, 0o640)
    symlinkSync(real, join(own, '.cursor/mcp.json'))
    await setup('--yes')
    expect(lstatSync(join(own, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('nokosu')
    expect(lstatSync(real).mode & 0o777).toBe(0o640)
    await setup('--undo', '--yes')
    expect(readFileSync(real, 'utf8')).toBe('{}')
  })

  it('when nokosu has moved, setup writes where it is now, and --undo still gives back the first file', async () => {
    const { setup, own, env, read, contents } = home()
    const before = contents()
    await setup('--yes')
    const { json } = workspace()
    const moved = await json<Report>(['setup', '--yes'], { env: { ...env, PATH: '/usr/bin:/bin' } })
    expect(moved.program).toEqual([process.execPath, expect.stringMatching(/bin\/nokosu\.mjs$/)])
    expect(read('.codex/config.toml')).toContain(`command = "${process.execPath}"`)
    expect(JSON.parse(read('.codex/hooks.json')).hooks.Stop).toHaveLength(2)
    await setup('--undo', '--yes')
    expect(contents()).toEqual(before)
    expect(existsSync(join(own, '.local'))).toBe(false)
  })
})
