import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { projectName } from './project-name.ts'
import { findRepository } from './repository.ts'

let folder: string
let shop: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-repository-')))
  shop = join(folder, 'shop')
  mkdirSync(join(shop, 'src/deep'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always']
  execFileSync('git', [...identity, ...args], { cwd, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' })
}

function commit(cwd: string): void {
  git(cwd, 'commit', '--allow-empty', '-m', 'first')
}

it('a repository is known from any folder inside it, with its branch, even before the first commit', () => {
  git(shop, 'init', '-b', 'fix/login-redirect')
  const found = { name: 'shop', branch: 'fix/login-redirect' }
  expect(findRepository(join(shop, 'src/deep'))).toEqual(found)
  commit(shop)
  expect(findRepository(shop)).toEqual(found)
  git(shop, 'checkout', '--detach')
  expect(findRepository(shop)).toEqual({ name: 'shop', branch: null })
})

it('a worktree is the same project, on a branch of its own', () => {
  git(shop, 'init', '-b', 'main')
  commit(shop)
  git(shop, 'worktree', 'add', '-b', 'feature/cart', join(folder, 'elsewhere'))
  expect(findRepository(join(folder, 'elsewhere'))).toEqual({ name: 'shop', branch: 'feature/cart' })
})

it('a worktree of a bare repository has the name of the repository', () => {
  git(shop, 'init', '-b', 'main')
  commit(shop)
  git(folder, 'clone', '--bare', shop, 'copy.git')
  git(join(folder, 'copy.git'), 'worktree', 'add', join(folder, 'tree'))
  expect(findRepository(join(folder, 'tree'))).toMatchObject({ name: 'copy' })
})

it('a submodule is a project of its own', () => {
  git(shop, 'init', '-b', 'main')
  commit(shop)
  const outer = join(folder, 'outer')
  mkdirSync(outer)
  git(outer, 'init', '-b', 'main')
  git(outer, 'submodule', 'add', shop, 'parts/shop-part')
  expect(findRepository(join(outer, 'parts/shop-part'))).toEqual({ name: 'shop-part', branch: 'main' })
})

it('a .git that is none is passed over', () => {
  writeFileSync(join(shop, '.git'), 'something else')
  expect(findRepository(shop)?.name).not.toBe('shop')
})

it('the project is what NOKOSU_PROJECT says, else the repository, else the folder', () => {
  expect(projectName(shop, {})).toBe('shop')
  mkdirSync(join(folder, '.nokosu'))
  expect(projectName(shop, {})).toBe(folder.split('/').at(-1))
  git(shop, 'init')
  expect(projectName(join(shop, 'src'), {})).toBe('shop')
  expect(projectName(shop, { NOKOSU_PROJECT: 'store' })).toBe('store')
  expect(projectName(shop, { NOKOSU_PROJECT: ' ' })).toBe('shop')
})

it('a folder whose name no identifier can have still is a project', () => {
  const odd = join(folder, 'a\nb\u202Ec')
  mkdirSync(odd)
  git(odd, 'init')
  expect(projectName(odd, {})).toBe('a b c')
  expect(projectName('/', {})).not.toBe('')
})
