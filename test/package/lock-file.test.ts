import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeSbom } from '../../scripts/sbom.ts'

interface Entry {
  version?: string
  integrity?: string
  inBundle?: boolean
  dev?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
}

const file = join(import.meta.dirname, '../../package-lock.json')
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }

/** Resolves a package like Node: in its own folder or one above. */
function find(from: string, name: string): Entry | undefined {
  const at = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (packages[at] || from === '') return packages[at]
  return find(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

/** If a registry lacks a platform's binary, npm leaves it out of the lock file, and `npm ci` then fails everywhere. */
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

/**
 * Development tools for other platforms may lack a checksum, if the registry did not have their archives. Everything that is installed with the package has
 * one. `node scripts/lock-integrity.ts` fills in those that it can get.
 */
const WITHOUT_CHECKSUM = /node_modules\/(@biomejs\/cli|@oxc-parser\/binding|@rolldown\/binding)-[\w-]+$/

it('every archive that is downloaded has a checksum, but for tools of other platforms', () => {
  const bare = Object.entries(packages).filter(
    ([path, { integrity, inBundle }]) => path !== '' && !integrity && !inBundle,
  )
  expect(bare.filter(([path, { dev }]) => !dev || !WITHOUT_CHECKSUM.test(path)).map(([path]) => path)).toEqual([])
  expect(bare.length).toBeLessThanOrEqual(33)
})

it('every package that would run a script when it is installed is named, and allowed or not', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const { allowScripts } = JSON.parse(text) as { allowScripts: Record<string, boolean> }
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(scripted.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual(Object.keys(allowScripts).sort())
})

it('the bill of materials names what is installed with the package, each with its checksum', () => {
  const { bomFormat, metadata, components } = makeSbom()
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'nokosu'])
  const names = new Set(components.map(({ name }) => name))
  const root = packages['']!
  expect(
    Object.keys({ ...root.dependencies, ...root.optionalDependencies }).filter(
      (name) => !names.has(name.split('/').at(-1)!) && !names.has(name),
    ),
  ).toEqual([])
  expect(components.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => name)).toEqual([])
  expect([...names].filter((name) => name === 'vitest' || name === 'aws-cdk-lib')).toEqual([])
})
