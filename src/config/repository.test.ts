import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findRepository, folderName } from './repository.ts'

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
  const found = { root: shop, main: shop, common: join(shop, '.git'), branch: 'fix/login-redirect' }
  expect(findRepository(join(shop, 'src/deep'))).toEqual(found)
  commit(shop)
  expect(findRepository(shop)).toEqual(found)
  git(shop, 'checkout', '--detach')
  expect(findRepository(shop)).toEqual({ ...found, branch: null })
})

it('a worktree shares the main one’s folders, on a branch of its own', () => {
  git(shop, 'init', '-b', 'main')
  commit(shop)
  const tree = join(folder, 'elsewhere')
  git(shop, 'worktree', 'add', '-b', 'feature/cart', tree)
  const found = findRepository(tree)!
  expect(found).toEqual({ root: tree, main: shop, common: join(shop, '.git'), branch: 'feature/cart' })
  expect(folderName(found)).toBe('shop')
})

it('worktrees of a bare repository share its own folder', () => {
  git(shop, 'init', '-b', 'main')
  commit(shop)
  git(folder, 'clone', '--bare', shop, 'copy.git')
  const bare = join(folder, 'copy.git')
  git(bare, 'worktree', 'add', join(folder, 'tree'))
  const found = findRepository(join(folder, 'tree'))!
  expect(found).toMatchObject({ main: bare, common: bare })
  expect(folderName(found)).toBe('copy')
  // A common layout for a folder of worktrees.
  mkdirSync(join(folder, 'site'))
  git(folder, 'clone', '--bare', shop, 'site/.bare')
  writeFileSync(join(folder, 'site/.git'), 'gitdir: ./.bare\n')
  git(join(folder, 'site'), 'worktree', 'add', 'cart')
  expect(findRepository(join(folder, 'site/cart'))).toMatchObject({ main: join(folder, 'site') })
  expect(findRepository(join(folder, 'site'))).toMatchObject({ main: join(folder, 'site') })
})

it('a submodule is a repository of its own, and so are its worktrees', () => {
  git(shop, 'init', '-b', 'main')
  commit(shop)
  const outer = join(folder, 'outer')
  mkdirSync(outer)
  git(outer, 'init', '-b', 'main')
  git(outer, 'submodule', 'add', shop, 'parts/shop-part')
  const part = join(outer, 'parts/shop-part')
  expect(findRepository(part)).toMatchObject({ root: part, main: part, branch: 'main' })
  git(part, 'worktree', 'add', '-b', 'other', join(folder, 'other'))
  expect(findRepository(join(folder, 'other'))).toMatchObject({ main: part })
})

it('a .git that is none is passed over', () => {
  writeFileSync(join(shop, '.git'), 'something else')
  expect(findRepository(shop)?.root).not.toBe(shop)
})
