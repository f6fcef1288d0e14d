import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Entry {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
}

const file = join(import.meta.dirname, '../../package-lock.json')
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }

/** Where a package finds another: in its own folder, or in one above. */
function find(from: string, name: string): Entry | undefined {
  const at = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (packages[at] || from === '') return packages[at]
  return find(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

/** A registry that lacks a platform’s binary has npm leave it out of the lock file, and then `npm ci` refuses everywhere. */
it('the lock file holds what each package needs on every platform, so that npm ci takes it', () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => find(path, name) === undefined)
      .map((name) => `${path} needs ${name}`),
  )
  expect(missing).toEqual([])
})

it('each binary is of one platform, and of the version that is asked for', () => {
  const wrong = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .map(([name, version]) => ({ name, version, entry: find(path, name) }))
      .filter(({ name, version, entry }) => {
        if (!/-(linux|darwin|win32|freebsd|android|openharmony|wasm32)\b/.test(name)) return false
        return entry?.version !== version || (entry.os ?? entry.cpu) === undefined
      })
      .map(({ name }) => `${path}: ${name}`),
  )
  expect(wrong).toEqual([])
})
