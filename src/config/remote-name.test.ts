import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { nameOfRemote } from './remote-name.ts'

const nameOf = (address: string) => nameOfRemote(address, '/work/shop')?.name ?? null

it.each([
  'git@github.com:Acme/Shop.git',
  'ssh://git@ssh.github.com:443/acme/shop.git',
  'ssh://git@github.com:22/acme/shop.git',
  'https://github.com/acme/shop',
  'https://github.com/acme/shop.git/',
  'https://user:s3cret-token@github.com/acme/shop.git?x=y#z',
  'git://github.com/acme/shop.git',
])('%s is github.com/acme/shop, and was acme/shop', (address) => {
  expect(nameOfRemote(address, '/')).toEqual({ name: 'github.com/acme/shop', former: 'acme/shop' })
})

it('keeps groups within groups, and tells two owners and two hosts apart', () => {
  expect(nameOf('git@gitlab.com:client-a/backend/api.git')).toBe('gitlab.com/client-a/backend/api')
  expect(nameOf('git@gitlab.com:client-b/backend/api.git')).toBe('gitlab.com/client-b/backend/api')
  expect(nameOf('git@gitlab.client-a.com:backend/api.git')).toBe('gitlab.client-a.com/backend/api')
  expect(nameOf('git@gitlab.client-b.com:backend/api.git')).toBe('gitlab.client-b.com/backend/api')
})

it('addresses of one repository are one, where a host writes them in its own way', () => {
  expect(nameOf('https://org@dev.azure.com/org/Project/_git/repo')).toBe('dev.azure.com/org/project/repo')
  expect(nameOf('https://bitbucket.host/scm/acme/shop.git')).toBe('bitbucket.host/acme/shop')
  expect(nameOf('git@ssh.dev.azure.com:v3/org/Project/repo')).toBe('dev.azure.com/org/project/repo')
})

it('without an owner the host tells repositories apart', () => {
  expect(nameOf('git@nas:api.git')).toBe('nas/api')
  expect(nameOf('https://git.example.com/api.git')).toBe('git.example.com/api')
})

it('a folder has its whole path', () => {
  expect(nameOf('/srv/git/shop.git')).toBe('/srv/git/shop')
  expect(nameOf('file:///srv/git/shop.git')).toBe('/srv/git/shop')
  expect(nameOf('../other/shop/.git')).toBe('/work/other/shop')
})

it.each(['', ' ', 'https://', 'http://[bad/acme/shop', 'https://host/'])('%j names nothing', (address) => {
  expect(nameOf(address)).toBeNull()
})

it('never has a token of the address in the name, whatever its case', () => {
  const token = `ghp_${randomBytes(40)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, 'x')
    .slice(0, 36)}`
  for (const address of [
    `https://git.acme.test/${token}/shop.git`,
    `git@host:acme/${token}.git`,
    `/srv/${token}/shop`,
  ]) {
    const name = nameOfRemote(address, '/')!.name
    expect(name.toLowerCase()).not.toContain(token.slice(6, 20).toLowerCase())
    expect(name).toMatch(/x-[0-9a-f]{12}/)
    expect(nameOfRemote(address, '/')?.name).toBe(name)
  }
})
