import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT_NAMES } from '../../src/setup/clients.ts'
import { Setup } from '../../src/setup/setup.ts'
import { workspace } from './run-cli.ts'
import { onTerminal } from './terminal.ts'

/** A configuration with everything: comments, odd indentation, other servers and hooks. */
const FILES = {
  '.codex/config.toml':
    '# my codex\nmodel   =   "gpt-5"\n\n[mcp_servers.docs]  # docs\ncommand = "npx"\nargs = [ "-y",\n   "docs-mcp" ]\n\n# profiles\n[profiles.fast]\nmodel = "mini"',
  '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify-send done"}]}]}}',
  '.gemini/settings.json':
    '{\n\t// theme\n\t"ui": { "theme": "Dark" },\n\t"mcpServers": {\n\t\t"gh": { "command": "gh-mcp", "env": { "GITHUB_TOKEN": "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" } } // github\n\t},\n\t"hooks": {\n\t\t"AfterAgent": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ]\n\t}\n}\n',
  '.cursor/mcp.json': '{\r\n   "mcpServers": {}\r\n}\r\n',
  '.codeium/windsurf/mcp_config.json': '{"mcpServers":{"a":{"command":"b"}}}',
  '.config/Code/User/mcp.json':
    '{\n    "servers": {\n        "x": {\n            "url": "http://x"\n        },\n    },\n    "inputs": []\n}',
  '.config/zed/settings.json':
    '// Zed settings\n//\n{\n  "theme": "One", // mine\n  "context_servers": { // servers\n  },\n  "vim_mode": true,\n}\n',
  '.config/opencode/opencode.jsonc':
    '{\n  "$schema": "https://opencode.ai/config.json",\n  /* models */ "model": "x/y"\n}\n',
}

interface Report {
  applied: boolean
  program: string[]
  clients: {
    name: string
    found: boolean
    changes: { path: string; diff?: string; command?: string[] }[]
    problem: string | null
  }[]
}

/** A home with these files and `nokosu` on the PATH. */
function home(files: Partial<Record<string, string>> = FILES) {
  const { folder, json, run, failure } = workspace()
  const own = join(folder, 'home')
  const tools = join(folder, 'tools')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(own, path)), { recursive: true })
    writeFileSync(join(own, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text!)
  mkdirSync(own, { recursive: true })
  mkdirSync(tools)
  const tool = (name: string, script: string) => writeFileSync(join(tools, name), script, { mode: 0o755 })
  tool('nokosu', '#!/bin/sh\n')
  const env = { HOME: own, PATH: `${tools}:/usr/bin:/bin` }
  const setup = (...args: string[]) => json<Report>(['setup', ...args], { env })
  const contents = () => {
    const paths = readdirSync(own, { recursive: true, encoding: 'utf8' }).sort()
    return Object.fromEntries(
      paths.map((path) => [path, lstatSync(join(own, path)).isFile() ? readFileSync(join(own, path), 'utf8') : null]),
    )
  }
  const read = (path: string) => readFileSync(join(own, path), 'utf8')
  const changed = (report: Report) => report.clients.filter(({ changes }) => changes.length > 0).map(({ name }) => name)
  return { folder, own, env, setup, run, failure, contents, read, write, tool, changed }
}

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

/** The part of `claude plugin` that setup needs, as version 2.1 writes it. */
const CLAUDE = `#!/usr/bin/env node
const fs = require('node:fs')
const [, verb, , from] = process.argv.slice(2).join(' ').match(/^plugin (marketplace add|install|uninstall|marketplace remove)( (\\S+))?/)
const root = process.env.HOME + '/.claude/'
const change = (file, work) => {
  fs.mkdirSync(root + 'plugins/marketplaces', { recursive: true })
  const value = fs.existsSync(root + file) ? JSON.parse(fs.readFileSync(root + file, 'utf8')) : file.includes('installed') ? { version: 2, plugins: {} } : {}
  work(value)
  fs.writeFileSync(root + file, JSON.stringify(value, null, 2))
}
const cache = root + 'plugins/cache/nokosu/nokosu/0.1.0'
if (verb === 'marketplace add') {
  change('settings.json', (value) => { value.extraKnownMarketplaces = { ...value.extraKnownMarketplaces, nokosu: { source: from } } })
  change('plugins/known_marketplaces.json', (value) => { value.nokosu = { installLocation: from } })
} else if (verb === 'install') {
  change('settings.json', (value) => { value.enabledPlugins = { ...value.enabledPlugins, 'nokosu@nokosu': true } })
  change('plugins/installed_plugins.json', (value) => { value.plugins['nokosu@nokosu'] = [{ scope: 'user' }] })
  fs.mkdirSync(cache, { recursive: true })
} else if (verb === 'uninstall') {
  change('settings.json', (value) => { delete value.enabledPlugins['nokosu@nokosu'] })
  change('plugins/installed_plugins.json', (value) => { delete value.plugins['nokosu@nokosu'] })
  fs.writeFileSync(cache + '/.orphaned_at', '1')
} else {
  change('settings.json', (value) => { delete value.extraKnownMarketplaces.nokosu })
  change('plugins/known_marketplaces.json', (value) => { delete value.nokosu })
}
`

describe('Claude Code', () => {
  const SETTINGS = '{\n     "permissions": { "allow": ["Bash(ls:*)"] }\n}\n'
  const withClaude = () => {
    const own = home({ '.claude/settings.json': SETTINGS })
    own.tool('claude', CLAUDE.replace('/usr/bin/env node', process.execPath))
    return own
  }

  it('gets the plugin by its own commands, once', async () => {
    const { setup, read } = withClaude()
    const first = await setup('--yes')
    expect(first.clients[0]!.changes.map(({ command }) => command!.slice(0, 3).join(' '))).toEqual([
      'claude plugin marketplace',
      'claude plugin install',
    ])
    expect(JSON.parse(read('.claude/settings.json'))).toMatchObject({
      permissions: { allow: ['Bash(ls:*)'] },
      enabledPlugins: { 'nokosu@nokosu': true },
    })
    expect((await setup('--yes')).applied).toBe(false)
  })

  it('--undo removes what Claude Code leaves behind, and gives back its settings to the byte', async () => {
    const { setup, contents } = withClaude()
    const before = contents()
    await setup('--yes')
    await setup('--undo', '--yes')
    expect(contents()).toEqual(before)
  })

  it('--undo keeps settings that were changed since, and other plugins', async () => {
    const { setup, contents, read, write } = withClaude()
    await setup('--yes')
    const settings = JSON.parse(read('.claude/settings.json'))
    write('.claude/settings.json', JSON.stringify({ ...settings, model: 'x' }, null, 2))
    const installed = JSON.parse(read('.claude/plugins/installed_plugins.json'))
    installed.plugins['other@market'] = [{ scope: 'user' }]
    write('.claude/plugins/installed_plugins.json', JSON.stringify(installed))
    await setup('--undo', '--yes')
    expect(JSON.parse(read('.claude/settings.json'))).toEqual({ permissions: { allow: ['Bash(ls:*)'] }, model: 'x' })
    expect(JSON.parse(read('.claude/plugins/installed_plugins.json'))).toEqual({
      version: 2,
      plugins: { 'other@market': [{ scope: 'user' }] },
    })
    expect(Object.keys(contents()).filter((path) => path.includes('nokosu'))).toEqual([])
  })

  it('--undo also cleans up after a plugin that was installed and uninstalled by hand', async () => {
    const { own, setup, contents } = withClaude()
    mkdirSync(join(own, '.claude/plugins/cache/nokosu/nokosu/0.1.0'), { recursive: true })
    await setup('--undo', '--yes')
    expect(Object.keys(contents())).toEqual(['.claude', '.claude/settings.json'])
  })

  it('without claude on the PATH it says so, and changes nothing', async () => {
    const { run, env, contents } = home({ '.claude/settings.json': SETTINGS })
    const before = contents()
    const { code, stdout } = await run(['setup', '--yes'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/Claude Code: not changed\. .*no 'claude' on the PATH/)
    expect(contents()).toEqual(before)
  })
})
