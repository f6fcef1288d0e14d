import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { home } from './setup-home.ts'

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
