import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cleanCommand } from './block.ts'
import { readIfThere, replaceFile } from './files.ts'
import { git, type Repository } from './repository.ts'

/** What keeps our text out of commits: paths from the root of the repository. */
export interface Shield {
  /** Not tracked, so ignored. */
  exclude: readonly string[]
  /** Passed through the filter that takes the block out. */
  filter: readonly string[]
}

const FILTER = 'nokosu'
const OPEN = '# nokosu:begin'
const OPEN_BEHIND_UNFINISHED_LINE = '# nokosu:begin (the line before had no end)'
const CLOSE = '# nokosu:end'
const SECTION = new RegExp(
  `(?:\\n${OPEN_BEHIND_UNFINISHED_LINE.replace(/[()]/g, '\\$&')}|(?<=^|\\n)${OPEN})\\n[^]*?${CLOSE}\\n`,
)

/** Makes the repository protect exactly these, for all of its worktrees at once. Nothing: as it was before us. */
export async function raiseShields(repository: Repository, shields: readonly Shield[]): Promise<void> {
  const filter = shields.flatMap((shield) => shield.filter)
  // The filter comes first and goes last: while an attribute names it, it is there.
  if (filter.length > 0) await setFilter(repository)
  const info = join(repository.commonDir, 'info')
  await writeSection(
    join(info, 'attributes'),
    filter.map((path) => `${quotePattern(path)} filter=${FILTER}`),
  )
  await writeSection(
    join(info, 'exclude'),
    shields.flatMap((shield) => shield.exclude.map(toPattern)),
  )
  if (filter.length === 0) await removeFilter(repository)
}

async function filterSettings({ root, commonDir }: Repository): Promise<Map<string, string>> {
  const listed = await git({ root, commonDir }, ['config', '--local', '-z', '--list'])
  const settings = listed.split('\0').map((entry): [string, string] => {
    const end = entry.indexOf('\n')
    return [entry.slice(0, end), entry.slice(end + 1)]
  })
  return new Map(settings.filter(([name]) => name.startsWith(`filter.${FILTER}.`)))
}

async function setFilter(repository: Repository): Promise<void> {
  // Required: where the command cannot run, git stops instead of committing the block.
  const wanted = { clean: cleanCommand(), smudge: 'cat', required: 'true' }
  const present = await filterSettings(repository)
  for (const [key, value] of Object.entries(wanted)) {
    const name = `filter.${FILTER}.${key}`
    if (present.get(name) !== value) await git(repository, ['config', '--local', name, value])
  }
}

async function removeFilter(repository: Repository): Promise<void> {
  if ((await filterSettings(repository)).size === 0) return
  await git(repository, ['config', '--local', '--remove-section', `filter.${FILTER}`])
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
  await replaceFile(file, own + section)
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
