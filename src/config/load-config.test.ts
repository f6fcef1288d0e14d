import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConfigFlags, loadConfig } from './load-config.ts'
import { prepareStore } from './prepare-store.ts'
import type { Environment } from './read-environment.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-config-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, content: unknown): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

function load(options: { cwd?: string; env?: Environment; flags?: ConfigFlags } = {}) {
  return loadConfig({ cwd: join(folder, options.cwd ?? ''), env: options.env ?? {}, flags: options.flags ?? {} })
}

async function failure(work: Promise<unknown>) {
  return work.then(
    () => expect.unreachable('it should have failed'),
    (error: { code: string; message: string; details: { file: string; key: string } }) => error,
  )
}

describe('defaults', () => {
  it('[C17] has the published keys and values', async () => {
    expect(await load()).toEqual({
      db: `sqlite:${join(folder, '.nokosu/memory.db')}`,
      embedding: { kind: 'local' },
      log: 'warn',
      recall: { failure: true, output: true, prompt: true, tool: true },
      retry: {},
      directory: [],
      memory: {
        enabled: true,
        projectRetention: 30,
        sectionRetention: 20,
        taskRetention: 12,
        maxKeep: 1200,
        keepDays: {},
        decay: {},
        maxSummaryLength: 800,
        includeHintsFromOutputs: false,
        lessons: true,
        private: false,
        aliases: {},
      },
      budget: 2000,
      extract: { enabled: true, sessions: true, timeoutSeconds: 15, maxBudgetUsd: 0.05 },
      file: null,
      root: folder,
      storeName: null,
    })
  })
})

describe('[C17] files', () => {
  const kinds = {
    'nokosu.config.json': '{"memory": {"taskRetention": 5}}',
    'nokosu.config.yaml': 'memory:\n  taskRetention: 5\n',
    'nokosu.config.yml': 'memory: {taskRetention: 5}',
    'nokosu.config.ts': 'const keep: number = 5\nexport default { memory: { taskRetention: keep } }',
    'package.json': '{"name": "app", "nokosu": {"memory": {"taskRetention": 5}}}',
  }
  for (const [name, content] of Object.entries(kinds)) {
    it(`reads ${name} from a folder above, and keeps the other defaults`, async () => {
      const file = put(name, content)
      mkdirSync(join(folder, 'a/b'), { recursive: true })
      const config = await load({ cwd: 'a/b' })
      expect(config).toMatchObject({ file, root: folder, memory: { taskRetention: 5, projectRetention: 30 } })
    })
  }

  it('does not take a package.json without the key for a configuration', async () => {
    put('package.json', '{"name": "nokosu", "dependencies": {"nokosu": "1"}}')
    expect((await load()).file).toBeNull()
  })

  it('refuses two configurations in one folder', async () => {
    put('nokosu.config.json', {})
    put('nokosu.config.yaml', '')
    expect(await failure(load())).toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('keep one'),
    })
  })

  it('takes the file that a flag names instead', async () => {
    put('nokosu.config.json', { budget: 1 })
    const other = put('other/my.json', { budget: 7 })
    expect(await load({ flags: { config: 'other/my.json' } })).toMatchObject({ budget: 7, file: other })
  })

  it.each([
    ['a wrong value', { memory: { projectRetention: 'thirty' } }, 'memory.projectRetention'],
    ['a value out of range', { memory: { maxKeep: 0 } }, 'memory.maxKeep'],
    ['an unknown key', { memory: { projectRetenton: 3 } }, 'memory.projectRetenton'],
    ['an unknown section', { colour: 'blue' }, 'colour'],
    ['an unknown embedding', { embedding: { kind: 'magic' } }, 'embedding.kind'],
    ['an incomplete embedding', { embedding: { kind: 'http', url: 'http://x' } }, 'embedding.model'],
    ['a wrong log level', { log: 'loud' }, 'log'],
    ['a place with nothing in it', { directory: { shop: {} } }, 'directory.shop'],
  ])('names the file and the key of %s', async (_, content, key) => {
    const file = put('nokosu.config.json', content)
    const error = await failure(load())
    expect(error).toMatchObject({ code: 'CONFIGURATION_ERROR', details: { file, key } })
    expect(error.message).toContain(file)
    expect(error.message).toContain(key)
  })

  it.each([
    [{ embedding: { kind: 'magic' } }, 'embedding.kind must be one of local, http or hashing'],
    [{ memory: { decay: { timing: '30' } } }, 'memory.decay.timing must be a number of days from 1 to 36500, or false'],
  ])('says what may stand there: %j', async (content, problem) => {
    put('nokosu.config.json', content)
    expect((await failure(load())).message).toContain(problem)
  })

  it.each([
    ['nokosu.config.json', '{"budget": '],
    ['nokosu.config.yaml', 'memory: [unclosed'],
    ['nokosu.config.ts', 'export default {'],
    ['nokosu.config.json', '[1]'],
    ['package.json', '{"nokosu": {"budget": 1}'],
  ])('says that %s cannot be read: %s', async (name, content) => {
    const file = put(name, content)
    expect(await failure(load())).toMatchObject({ code: 'CONFIGURATION_ERROR', details: { file } })
  })
})

describe('precedence', () => {
  it('goes from file to environment to flags', async () => {
    put('nokosu.config.json', { db: 'sqlite:file.db', log: 'info', budget: 1 })
    const env = { NOKOSU_DB: 'env.db', NOKOSU_LOG: 'error', NOKOSU_MEMORY_BUDGET: '3' }
    expect(await load({ env })).toMatchObject({ db: `sqlite:${join(folder, 'env.db')}`, log: 'error', budget: 3 })
    const flags = { db: 'sqlite:flag.db', log: 'debug' }
    expect(await load({ env, flags })).toMatchObject({ db: `sqlite:${join(folder, 'flag.db')}`, log: 'debug' })
  })

  it('reads the budget from either variable, ours first', async () => {
    expect((await load({ env: { CLAUDEOPS_MEMORY_BUDGET: '500' } })).budget).toBe(500)
    expect((await load({ env: { CLAUDEOPS_MEMORY_BUDGET: '500', NOKOSU_MEMORY_BUDGET: '600' } })).budget).toBe(600)
  })

  it('takes an embedding from the environment', async () => {
    expect((await load({ env: { NOKOSU_EMBEDDING: 'hashing' } })).embedding).toEqual({ kind: 'hashing' })
    const env = { NOKOSU_EMBEDDING: 'http://host:1/v1?model=m&dimensions=3', NOKOSU_EMBEDDING_KEY: 'k' }
    const embedding = { kind: 'http', url: 'http://host:1/v1', model: 'm', dimensions: 3, apiKey: 'k' }
    expect((await load({ env })).embedding).toEqual(embedding)
  })

  it.each([
    [{ NOKOSU_MEMORY_BUDGET: 'lots' }, 'NOKOSU_MEMORY_BUDGET'],
    [{ CLAUDEOPS_MEMORY_BUDGET: '-1' }, 'CLAUDEOPS_MEMORY_BUDGET'],
    [{ NOKOSU_LOG: 'loud' }, 'NOKOSU_LOG'],
    [{ NOKOSU_EMBEDDING: 'magic' }, 'NOKOSU_EMBEDDING'],
    [{ NOKOSU_EMBEDDING: 'http://host/v1' }, 'NOKOSU_EMBEDDING'],
  ] as [Environment, string][])('names the variable of a bad setting: %o', async (env, variable) => {
    expect(await failure(load({ env }))).toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining(variable),
    })
  })

  it('ignores a variable that is empty', async () => {
    expect(await load({ env: { NOKOSU_DB: '', NOKOSU_LOG: '' } })).toMatchObject({ log: 'warn' })
  })
})

describe('the store', () => {
  it('is in the nearest folder upward that has one, before a nearer repository', async () => {
    mkdirSync(join(folder, '.nokosu'))
    mkdirSync(join(folder, 'repo/.git'), { recursive: true })
    mkdirSync(join(folder, 'repo/deep/er'), { recursive: true })
    expect((await load({ cwd: 'repo/deep/er' })).db).toBe(`sqlite:${join(folder, '.nokosu/memory.db')}`)
  })

  it('else belongs to the nearest repository or configuration', async () => {
    mkdirSync(join(folder, 'repo/.git'), { recursive: true })
    mkdirSync(join(folder, 'repo/deep'), { recursive: true })
    expect((await load({ cwd: 'repo/deep' })).root).toBe(join(folder, 'repo'))
    put('repo/deep/nokosu.config.json', {})
    expect((await load({ cwd: 'repo/deep' })).root).toBe(join(folder, 'repo/deep'))
  })

  it('is relative to the configuration file that names it, and to the working folder otherwise', async () => {
    put('nokosu.config.json', { db: 'sqlite:data/m.db' })
    mkdirSync(join(folder, 'sub'))
    expect((await load({ cwd: 'sub' })).db).toBe(`sqlite:${join(folder, 'data/m.db')}`)
    expect((await load({ cwd: 'sub', flags: { db: 'm.db' } })).db).toBe(`sqlite:${join(folder, 'sub/m.db')}`)
  })

  it('leaves other addresses as they are', async () => {
    for (const db of ['sqlite::memory:', 'memory:', 'sqlite:/abs/m.db', 'sqlite:~/m.db', 'postgres://host/db']) {
      expect((await load({ flags: { db } })).db).toBe(db)
    }
  })

  it('is kept out of commits when its folder is created', async () => {
    prepareStore((await load()).db)
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(join(folder, '.nokosu/.gitignore'), 'utf8')).toBe('*\n')
  })
})

describe('directory', () => {
  it('links each project upward', async () => {
    put('nokosu.config.yaml', 'directory:\n  shop: {team: web, org: retail, company: acme}\n  api: {team: web}\n')
    const none = { teamId: null, orgId: null, companyId: null }
    expect((await load()).directory).toEqual([
      { ...none, layer: 'project', id: 'shop', teamId: 'web' },
      { ...none, layer: 'team', id: 'web', orgId: 'retail' },
      { ...none, layer: 'org', id: 'retail', companyId: 'acme' },
      { ...none, layer: 'project', id: 'api', teamId: 'web' },
    ])
  })

  it('refuses a team in two orgs', async () => {
    put('nokosu.config.json', { directory: { a: { team: 'web', org: 'one' }, b: { team: 'web', org: 'two' } } })
    expect(await failure(load())).toMatchObject({ code: 'CONFIGURATION_ERROR', details: { key: 'directory.b' } })
  })
})
