import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMemory } from '../engine/open-memory.ts'
import { type Config, loadConfig } from './load-config.ts'
import { prepareStore, storeFile } from './prepare-store.ts'
import type { Environment } from './read-environment.ts'
import { shortName } from './repository-name.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-name-')))
})
afterEach(() => rmSync(folder, { recursive: true }))

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t']
  execFileSync('git', [...identity, ...args], { cwd, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' })
}

function repository(path: string, remote?: string): string {
  const root = join(folder, path)
  mkdirSync(root, { recursive: true })
  git(root, 'init', '-b', 'main')
  git(root, 'commit', '--allow-empty', '-m', 'first')
  if (remote !== undefined) git(root, 'remote', 'add', 'origin', remote)
  return root
}

function load(cwd: string, { project, env = {} }: { project?: string; env?: Environment } = {}): Promise<Config> {
  return loadConfig({ cwd, env, flags: project === undefined ? {} : { project } })
}

/** The first write of a store calls this. */
function create({ db, storeName }: Config): void {
  prepareStore(db, storeName)
  writeFileSync(storeFile(db)!, '')
}

const ID = /^shop~[0-9a-f]{8}$/

describe('without a name', () => {
  it('a repository is known by host, owner and name of its remote, origin before others', async () => {
    const shop = repository('shop')
    git(shop, 'remote', 'add', 'backup', 'git@nas:mirrors/shop.git')
    expect((await load(shop)).project).toBe('nas/mirrors/shop')
    git(shop, 'remote', 'add', 'origin', 'https://token@github.com/Acme/Shop.git')
    expect((await load(shop)).project).toBe('github.com/acme/shop')
    expect(shortName('github.com/acme/shop')).toBe('shop')
  })

  it('without a remote by an id that stays, wherever it is moved', async () => {
    const shop = repository('shop')
    const { project } = await load(shop)
    expect(project).toMatch(ID)
    expect(shortName(project!)).toBe('shop')
    expect(readdirSync(shop)).toEqual(['.git'])
    renameSync(shop, join(folder, 'store'))
    expect((await load(join(folder, 'store'))).project).toBe(project)
  })

  it('several processes that meet a repository for the first time agree on the id', async () => {
    const shop = repository('shop')
    const code = `const { loadConfig } = await import(process.argv[1])
      const { project } = await loadConfig({ cwd: process.argv[2], env: {} })
      process.stdout.write(project)`
    const module = join(import.meta.dirname, 'load-config.ts')
    const found = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', code, module, shop])
        let text = ''
        for await (const part of child.stdout.setEncoding('utf8')) text += part
        return text
      }),
    )
    expect(found[0]).toMatch(ID)
    expect(new Set(found).size).toBe(1)
    expect(readdirSync(join(shop, '.git')).filter((name) => name.startsWith('nokosu'))).toEqual(['nokosu-project'])
  })

  it('two folders of one name never share a project in a store that they share', async () => {
    const env = { NOKOSU_DB: join(folder, 'all.db') }
    const names = [
      await load(repository('client-a/api', 'git@host:client-a/api.git'), { env }),
      await load(repository('client-b/api', 'git@host:client-b/api.git'), { env }),
      await load(repository('client-c/api', 'git@gitlab.client-c.com:backend/api.git'), { env }),
      await load(repository('client-d/api', 'git@gitlab.client-d.com:backend/api.git'), { env }),
      await load(repository('one/api'), { env }),
      await load(repository('two/api'), { env }),
    ].map(({ project }) => project)
    expect(new Set(names).size).toBe(6)
  })

  it('all worktrees are one project with one store', async () => {
    const shop = repository('shop')
    git(shop, 'worktree', 'add', '-b', 'cart', join(folder, 'wt'))
    const main = await load(shop)
    mkdirSync(join(folder, 'wt/src/deep'), { recursive: true })
    // Version 1 kept a store in each worktree.
    mkdirSync(join(folder, 'wt/.nokosu'))
    expect(await load(join(folder, 'wt/src/deep'))).toEqual(main)
    expect(main.db).toBe(`sqlite:${join(shop, '.nokosu/memory.db')}`)
  })

  it('a worktree without a configuration has the main one’s, and paths in its own mean the main worktree', async () => {
    const shop = repository('shop')
    git(shop, 'worktree', 'add', '-b', 'cart', join(folder, 'wt'))
    writeFileSync(join(shop, 'nokosu.config.json'), '{"project": "store"}')
    expect((await load(join(folder, 'wt'))).project).toBe('store')
    writeFileSync(join(folder, 'wt/nokosu.config.json'), '{"db": "sqlite:data/m.db"}')
    expect((await load(join(folder, 'wt'))).db).toBe(`sqlite:${join(shop, 'data/m.db')}`)
  })

  it('a folder that is no repository is no project, even with a store', async () => {
    mkdirSync(join(folder, 'plain/.nokosu'), { recursive: true })
    expect((await load(join(folder, 'plain'))).project).toBeUndefined()
  })

  it('a folder whose name no identifier can have still is a project', async () => {
    expect((await load(repository('a\nb\u202Ec'))).project).toMatch(/^a b c~/)
  })
})

describe('a name', () => {
  it('comes from the flag, else the environment, else the configuration', async () => {
    const shop = repository('shop', 'git@host:acme/shop.git')
    writeFileSync(join(shop, 'nokosu.config.json'), '{"project": "from-file"}')
    expect((await load(shop)).project).toBe('from-file')
    const env = { NOKOSU_PROJECT: 'from-env' }
    expect((await load(shop, { env })).project).toBe('from-env')
    expect((await load(shop, { env, project: 'from-flag' })).project).toBe('from-flag')
    expect((await load(shop, { env: { NOKOSU_PROJECT: ' ' } })).project).toBe('from-file')
  })

  it('of the repository is the one that its own store began with, whichever is used later', async () => {
    const shop = repository('shop')
    create(await load(shop, { project: 'shop' }))
    expect((await load(shop)).project).toBe('shop')
    git(shop, 'remote', 'add', 'origin', 'git@host:acme/shop.git')
    for (const project of ['shop', 'acme/shop', 'host/acme/shop'])
      expect((await load(shop, { project })).project).toBe('shop')
    expect((await load(shop, { project: 'warehouse' })).project).toBe('warehouse')
  })

  it('that a process hands on to another is the repository’s own', async () => {
    const shop = repository('shop')
    const { project } = await load(shop)
    create(await load(shop, { env: { NOKOSU_PROJECT: project } }))
    expect((await load(shop)).project).toBe(project)
  })

  it('of a remote that is added later, or of a folder that is renamed, hides nothing', async () => {
    const shop = repository('shop')
    const first = await load(shop)
    create(first)
    git(shop, 'remote', 'add', 'origin', 'git@host:acme/shop.git')
    renameSync(shop, join(folder, 'store'))
    for (const project of [undefined, 'shop', 'acme/shop', 'store']) {
      expect((await load(join(folder, 'store'), project === undefined ? {} : { project })).project).toBe(first.project)
    }
  })

  it('is the same for everybody who is given it, whatever else is in the folder of the store', async () => {
    const shop = repository('shop', 'git@host:acme/shop.git')
    for (const project of ['shop', 'acme/shop', 'warehouse', undefined]) {
      const given = project === undefined ? {} : { project }
      const { project: named, storeName } = await load(shop, given)
      mkdirSync(join(shop, '.nokosu/spool'), { recursive: true })
      const handedOn = await load(shop, { env: { NOKOSU_PROJECT: named } })
      expect({ named: handedOn.project, storeName: handedOn.storeName }).toEqual({ named, storeName })
      rmSync(join(shop, '.nokosu'), { recursive: true })
    }
  })

  it('in another case of its letters is the same name: at first, later, and in a store that others share', async () => {
    const shop = repository('Shop9')
    const first = await load(shop, { project: 'shop9' })
    expect(first.storeName).toBe(first.project)
    create(first)
    for (const project of [undefined, 'Shop9', 'SHOP9'])
      expect((await load(shop, project === undefined ? {} : { project })).project).toBe(first.project)
    const env = { NOKOSU_DB: join(folder, 'all.db') }
    const acme = repository('acme', 'git@host:Acme/Api.git')
    for (const project of ['API', 'ACME/api', 'Host/Acme/API'])
      expect((await load(acme, { env: { ...env }, project })).project).toBe('host/acme/api')
  })

  it('that is another project’s does not become the repository’s', async () => {
    const shop = repository('shop', 'git@host:acme/shop.git')
    create(await load(shop, { project: 'warehouse' }))
    expect((await load(shop)).project).toBe('host/acme/shop')
  })

  describe('in a store that others share', () => {
    /** A store with memories of these projects. */
    async function sharedStore(...projects: string[]): Promise<{ NOKOSU_DB: string }> {
      const env = { NOKOSU_DB: join(folder, 'all.db') }
      const engine = await openMemory({ storage: env.NOKOSU_DB, embedding: { kind: 'hashing' } })
      for (const projectId of projects)
        await engine.add({ layer: 'project', identifiers: { projectId }, content: `Of ${projectId}` })
      await engine.shutdown()
      return env
    }

    it('means itself where the store has it, else the repository’s own or the only project that is shown so', async () => {
      const shop = repository('shop', 'git@host:acme/shop.git')
      const env = await sharedStore('host/other/shop', 'host/acme/api', 'plain')
      expect((await load(shop, { env })).project).toBe('host/acme/shop')
      for (const project of ['shop', 'acme/shop'])
        expect((await load(shop, { env, project })).project).toBe('host/acme/shop')
      expect((await load(folder, { env, project: 'shop' })).project).toBe('host/other/shop')
      for (const project of ['api', 'acme/api', 'host/acme/api'])
        expect((await load(shop, { env, project })).project).toBe('host/acme/api')
      for (const project of ['plain', 'new']) expect((await load(shop, { env, project })).project).toBe(project)
    })

    it('that several are shown by is refused, with the whole names', async () => {
      const env = await sharedStore('host/acme/api', 'host/other/api')
      await expect(load(folder, { env, project: 'api' })).rejects.toThrow(/host\/acme\/api, host\/other\/api/)
    })

    it('from before hosts were part of it stays with the first repository that comes, and with no other', async () => {
      const env = await sharedStore('backend/api')
      const [a, b] = [1, 2].map((n) => repository(`${n}/api`, `git@gitlab.client-${n}.com:backend/api.git`))
      expect((await load(a!, { env })).project).toBe('backend/api')
      expect((await load(b!, { env })).project).toBe('gitlab.client-2.com/backend/api')
      expect((await load(a!, { env })).project).toBe('backend/api')
    })
  })
})

it('a store of the first version knows the repository by its folder', async () => {
  const shop = repository('shop', 'git@host:acme/shop.git')
  mkdirSync(join(shop, '.nokosu'))
  expect((await load(shop)).project).toBe('host/acme/shop')
  writeFileSync(join(shop, '.nokosu/memory.db'), '')
  git(shop, 'worktree', 'add', '-b', 'cart', join(folder, 'wt'))
  for (const cwd of [shop, join(folder, 'wt')]) expect((await load(cwd)).project).toBe('shop')
})

it('of two processes that create a store at once the second hears that a name was chosen', async () => {
  const shop = repository('shop')
  const [first, second] = [await load(shop, { project: 'shop' }), await load(shop)]
  expect(prepareStore(first.db, first.storeName)).toBe(true)
  expect(prepareStore(second.db, second.storeName)).toBe(false)
  expect((await load(shop)).project).toBe('shop')
  expect(existsSync(join(shop, '.nokosu/.gitignore'))).toBe(true)
})
