import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cleanCommand, nonceOf } from './block.ts'
import { readIfThere, shortenFile } from './files.ts'
import type { Git, Repository } from './git.ts'
import { allRecords } from './record.ts'

/** The name of the filter in git's configuration. */
export const FILTER = 'nokosu'
const OPEN = '# nokosu:begin'
const OPEN_BEHIND_UNFINISHED_LINE = '# nokosu:begin (the line before had no end)'
const CLOSE = '# nokosu:end'
const SECTION = new RegExp(
  `(?:\\n${OPEN_BEHIND_UNFINISHED_LINE.replace(/[()]/g, '\\$&')}|(?<=^|\\n)${OPEN})\\n[^]*?${CLOSE}\\n`,
)

/**
 * Makes the repository protect what is recorded as injected into its worktrees, and nothing else: new files of ours are ignored,
 * and our blocks are cleaned out of files that were there. Nothing recorded: as it was before us.
 */
export async function raiseShields({ commonDir }: Repository, git: Git): Promise<void> {
  const records = await allRecords(commonDir)
  const filter = records.flatMap((record) => record.filter)
  // The filter comes first and goes last: while an attribute names it, it is there.
  const nonces = records.flatMap(({ files }) => files.map(({ ours }) => nonceOf(ours)))
  if (filter.length > 0) await setFilter(git, [...new Set(nonces)])
  const info = join(commonDir, 'info')
  await writeSection(
    join(info, 'attributes'),
    filter.map((path) => `${quotePattern(path)} filter=${FILTER}`),
  )
  await writeSection(
    join(info, 'exclude'),
    records.flatMap((record) => record.exclude.map(toPattern)),
  )
  const isSet = (await readIfThere(join(commonDir, 'config')))?.includes(`[filter "${FILTER}"]`)
  if (filter.length === 0 && isSet) await git(['config', '--local', '--remove-section', `filter.${FILTER}`])
}

/** Required: where the command cannot run, git stops instead of committing the block. */
export function filterConfig(nonces: readonly string[]): [string, string][] {
  return [
    [`filter.${FILTER}.clean`, cleanCommand(nonces)],
    [`filter.${FILTER}.smudge`, 'cat'],
    [`filter.${FILTER}.required`, 'true'],
  ]
}

async function filterSettings(git: Git): Promise<Map<string, string>> {
  const listed = await git(['config', '--local', '-z', '--list'])
  const settings = listed.split('\0').map((entry): [string, string] => {
    const end = entry.indexOf('\n')
    return [entry.slice(0, end), entry.slice(end + 1)]
  })
  return new Map(settings.filter(([name]) => name.startsWith(`filter.${FILTER}.`)))
}

async function setFilter(git: Git, nonces: readonly string[]): Promise<void> {
  const present = await filterSettings(git)
  for (const [name, value] of filterConfig(nonces)) {
    if (present.get(name) !== value) await git(['config', '--local', name, value])
  }
}

/** At the end, where it counts most; the rest of the file stays as it is. */
async function writeSection(file: string, lines: readonly string[]): Promise<void> {
  const present = await readIfThere(file)
  const own = (present ?? '').replace(SECTION, '')
  const unfinished = own !== '' && !own.endsWith('\n')
  const open = unfinished ? `\n${OPEN_BEHIND_UNFINISHED_LINE}` : OPEN
  const section = lines.length === 0 ? '' : [open, ...new Set(lines), CLOSE, ''].join('\n')
  if (own + section === (present ?? '')) return
  if (own + section === '') return rm(file)
  await mkdir(dirname(file), { recursive: true })
  await shortenFile(file, own + section)
}

/** Anchored at the root, every character itself. A line break cannot be written: any one character stands for it. */
function toPattern(path: string): string {
  const bytes = Buffer.from(path, 'utf8').toString('latin1')
  return `/${bytes
    .replace(/[\\*?[\]!#]/g, '\\$&')
    .replace(/[\r\n]/g, '?')
    .replace(/ $/, '\\ ')}`
}

/** Attributes end a pattern at a space, unless it is quoted as C does. */
function quotePattern(path: string): string {
  return `"${toPattern(path).replace(/["\\]/g, '\\$&')}"`
}
