/**
 * The changelog's section of a release: `node scripts/release-notes.ts v0.2.0`. Fails when the tag, package.json and the changelog disagree, so that
 * a wrong tag publishes nothing.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json says ${version}.`)
  const sections = changelog.split(/^## /m)
  const section = sections.find((text) => /^\[?([^\s\]]+)/.exec(text)?.[1] === version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}".`)
  return section.slice(section.indexOf('\n') + 1).trim()
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  process.stdout.write(
    `${releaseNotes(process.argv[2] ?? '', version, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))}\n`,
  )
}
