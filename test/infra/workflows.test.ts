import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { releaseNotes } from '../../scripts/release-notes.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<
    string,
    { 'timeout-minutes': number; permissions?: Record<string, string>; steps: { run?: string; uses?: string }[] }
  >
}

describe('the workflows', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const files = globSync('.github/workflows/*.yml', { cwd: ROOT })

  it.each(files)('%s runs what is there, with no more rights than it needs, and ends', (file) => {
    const { permissions, jobs } = parse(readFileSync(join(ROOT, file), 'utf8')) as Workflow
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0)
      const commands = job.steps.map(({ run = '' }) => run).join('\n')
      for (const [, name] of commands.matchAll(/npm (?:run )?([\w:]+)/g))
        if (!['publish', 'pack', 'view'].includes(name!)) expect(scripts).toHaveProperty([name!])
      for (const [, script] of commands.matchAll(/node (scripts\/[\w.-]+)/g))
        expect(existsSync(join(ROOT, script!))).toBe(true)
      for (const { uses } of job.steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/)
    }
  })

  it('only a release of a tag may write, and only it publishes', () => {
    const writing = files.flatMap((file) => {
      const { jobs } = parse(readFileSync(join(ROOT, file), 'utf8')) as Workflow
      return Object.entries(jobs).flatMap(([name, { permissions }]) => (permissions ? [[name, permissions]] : []))
    })
    expect(writing).toEqual([['release', { contents: 'write', 'id-token': 'write' }]])
  })
})

describe('release notes', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- later\n\n## 0.2.0 (2026-12-01)\n\n- now\n- and this\n\n## 0.1.0\n\n- first\n'

  it('are the section of the version', () => {
    expect(releaseNotes('v0.2.0', '0.2.0', changelog)).toBe('- now\n- and this')
  })

  it.each([
    ['v0.2.0', '0.2.1', 'The tag is v0.2.0, but package.json says 0.2.1.'],
    ['v0.3.0', '0.3.0', 'CHANGELOG.md has no section "## 0.3.0".'],
  ])('%s of %s is refused', (tag, version, message) => {
    expect(() => releaseNotes(tag, version, changelog)).toThrow(message)
  })
})
