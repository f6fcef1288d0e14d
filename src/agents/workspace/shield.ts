import { chmod, mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Bytes, cleanCommand, type Ours, oursOf, quote } from './block.ts'
import { behindLinks, readIfThere, replaceFile, shortenFile, statIfThere } from './files.ts'
import type { Git, Repository } from './git.ts'
import { allRecords, type Injected } from './record.ts'
import { unusable } from './target.ts'
import { writeConfig } from './write-config.ts'

export const FILTER = 'nokosu'
/** For other Markdown files: optional, so that checking out many files does not start a process for each. */
export const COPIES = 'nokosu-copies'
const OPEN = '# nokosu:begin'
const OPEN_BEHIND_UNFINISHED_LINE = `${OPEN} (the line before had no end)`
const CLOSE = '# nokosu:end'
/** Earlier versions told git to ignore new files. */
const EXCLUDED =
  /(?:\n# nokosu:begin \(the line before had no end\)|(?<=^|\n)# nokosu:begin)\n(?:\/.*\n)*# nokosu:end\n/
/** Our git settings are in a file of our own. Nobody's `git config` writes into a section with this name. */
const INCLUDE = ['[includeIf "gitdir:**"]', '\tpath = nokosu/config']
const HOOK = 'post-index-change'
const HOOK_START = '#!/bin/sh\n'
const HOOK_LINES = [
  `${OPEN}: keeps files that hold nothing but a nokosu block out of the index. 'nokosu inject --restore' removes this.`,
  `[ ! -f "\${0%/*}/../nokosu/${HOOK}" ] || . "\${0%/*}/../nokosu/${HOOK}"`,
  CLOSE,
]

/**
 * Makes the repository protect what is recorded as injected, and nothing else: our blocks are removed from what
 * enters the index, and a file that only holds our block is removed from it. Git ignores nothing. If nothing is recorded, restores everything.
 */
export async function raiseShields(repository: Repository, git: Git): Promise<void> {
  const { commonDir } = repository
  const records = await allRecords(commonDir)
  const known = oursOf(records.flatMap(({ files }) => files.map(({ ours }) => ours)))
  const paths = records.flatMap(({ filter }) => filter)
  const attributes = () =>
    changeFile(join(commonDir, 'info/attributes'), (present) =>
      withSection(
        present,
        [...new Set(paths)].map((path) => `${quotePattern(path)} filter=${FILTER}`),
        (line) => line.endsWith(` filter=${FILTER}`),
      ),
    )
  const forCopies = join(commonDir, 'nokosu/attributes')
  const config = join(commonDir, 'nokosu/config')
  if (paths.length > 0) {
    await replaceFile(forCopies, await attributesForCopies(git, process.env, forCopies))
    await replaceFile(config, configLines(known, forCopies).join('\n'))
  }
  // While an attribute names the filter, the filter must exist.
  if (paths.length === 0) await attributes()
  await writeConfig(join(commonDir, 'config'), (present) =>
    withSection(present, paths.length === 0 ? [] : INCLUDE, (line) => INCLUDE.includes(line)),
  )
  if (paths.length > 0) await attributes()
  if (paths.length === 0) for (const path of [forCopies, config]) await rm(path, { force: true })
  await changeFile(join(commonDir, 'info/exclude'), (present) => present.replace(EXCLUDED, ''))
  await writeHook(repository, records, known)
}

/** Required for the injected files: if the command cannot run, git stops instead of committing the block. */
export function filterConfig(known: Ours, attributes: string): [string, string][] {
  return [
    [`filter.${FILTER}.clean`, cleanCommand(known)],
    [`filter.${FILTER}.smudge`, 'cat'],
    [`filter.${FILTER}.required`, 'true'],
    [`filter.${COPIES}.clean`, cleanCommand(known)],
    ['core.attributesFile', attributes],
  ]
}

function configLines(known: Ours, attributes: string): string[] {
  return filterConfig(known, attributes).flatMap(([name, value]) => {
    const [section, ...rest] = name.split('.')
    const quoted = Buffer.from(value, 'utf8').toString('latin1').replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
    return [rest.length > 1 ? `[${section} "${rest[0]}"]` : `[${section}]`, `\t${rest.at(-1)} = "${quoted}"`]
  })
}

/**
 * Attributes that clean Markdown wherever our block was copied or moved, followed by those that the user has set.
 * The repository's own attributes override them, so the user's filters win. `own` is the file that they apply to.
 */
export async function attributesForCopies(
  git: Git,
  env: NodeJS.ProcessEnv,
  own: string,
  names: string[] = [],
): Promise<Bytes> {
  const set = await git(['config', '--type=path', '-z', '--get-all', 'core.attributesFile']).catch(() => '')
  const usual = join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'git/attributes')
  const paths = set.split('\0').map((path) => Buffer.from(path, 'latin1').toString('utf8'))
  const path = paths.findLast((each) => each !== '' && each !== own) ?? usual
  const lines = [
    `*.md filter=${COPIES}`,
    ...names.map((name) => `${quotePattern(name).replace('/', '')} filter=${FILTER}`),
  ]
  return `${lines.join('\n')}\n${(await readIfThere(path).catch(() => null)) ?? ''}`
}

/** If git runs hooks from another folder, a new file of ours there could be committed. */
export async function assertHookFree({ commonDir, hooks }: Repository, name: string): Promise<void> {
  const own = (await statIfThere(hooks)) ? await behindLinks(hooks) : hooks
  const usual = join((await statIfThere(commonDir)) ? await behindLinks(commonDir) : commonDir, 'hooks')
  const why = 'it does not exist yet, and git would add it to commits'
  if (own !== usual) throw unusable(name, `${why}: its hooks are in ${hooks}, which Nokosu does not change`)
  const present = await readIfThere(join(hooks, HOOK))
  if (present !== null && !present.includes(HOOK_LINES[0]!))
    throw unusable(name, `${why}: you have a ${HOOK} hook of your own`)
}

/** Git runs it whenever it has written an index, however it was started. */
async function writeHook({ commonDir }: Repository, records: readonly Injected[], { nonces }: Ours) {
  const path = join(commonDir, 'hooks', HOOK)
  const script = join(commonDir, 'nokosu', HOOK)
  const fresh = [...new Set(records.flatMap((record) => record.fresh))]
  const present = await readIfThere(path)
  // Lines added by others are kept.
  const rest = withSection(present ?? HOOK_START, [], (line) => HOOK_LINES.includes(line))
  if (fresh.length === 0) {
    if (rest !== present && rest === HOOK_START) await rm(path, { force: true })
    else if (rest !== present) await shortenFile(path, rest)
    return rm(script, { force: true })
  }
  await replaceFile(
    script,
    `for file in ${fresh.map((file) => quote(Buffer.from(file, 'utf8').toString('latin1'))).join(' ')}; do
  grep -qsE '<!-- nokosu:end (${nonces.join('|')})' "./$file" || continue
  [ "$(git rev-parse -q --verify ":0:$file")" = "$(git hash-object -t blob /dev/null)" ] || continue
  git rev-parse -q --verify "HEAD:$file" >/dev/null && continue
  git -c core.hooksPath=/dev/null update-index --force-remove -- "$file"
done
`,
  )
  if (present?.includes(HOOK_LINES.join('\n'))) return
  await mkdir(dirname(path), { recursive: true })
  await replaceFile(path, rest.replace(HOOK_START, `${[HOOK_START.trim(), ...HOOK_LINES].join('\n')}\n`))
  await chmod(path, 0o755)
}

/** Removes our lines, wherever they are now, and appends the new ones at the end, where they take precedence. */
function withSection(present: Bytes, lines: readonly string[], isOurs: (line: string) => boolean): Bytes {
  const kept = present
    .split(/(?<=\n)/)
    .filter((line) => !isOurs(line.trimEnd()) && line !== `${OPEN}\n` && line !== `${CLOSE}\n`)
  const at = kept.indexOf(`${OPEN_BEHIND_UNFINISHED_LINE}\n`)
  const own =
    at === kept.length - 1 && at > 0
      ? kept.join('').replace(`\n${kept[at]}`, '')
      : kept.filter((_, line) => line !== at).join('')
  const open = own === '' || own.endsWith('\n') ? OPEN : `\n${OPEN_BEHIND_UNFINISHED_LINE}`
  return own + (lines.length === 0 ? '' : [open, ...lines, CLOSE, ''].join('\n'))
}

/** A file that we created is removed once it is empty. */
async function changeFile(file: string, change: (present: Bytes) => Bytes): Promise<void> {
  const present = await readIfThere(file)
  const next = change(present ?? '')
  if (next === (present ?? '')) return
  const path = await behindLinks(file)
  if (next === '' && path === file) return rm(file)
  await mkdir(dirname(file), { recursive: true })
  await shortenFile(path, next)
}

/** Anchored at the root, every character escaped. A line break cannot be written, so `?` stands for it. */
function toPattern(path: string): string {
  const bytes = Buffer.from(path, 'utf8').toString('latin1')
  return `/${bytes
    .replace(/[\\*?[\]!#]/g, '\\$&')
    .replace(/[\r\n]/g, '?')
    .replace(/ $/, '\\ ')}`
}

/** Attributes end a pattern at a space, unless it is quoted as in C. */
function quotePattern(path: string): string {
  return `"${toPattern(path).replace(/["\\]/g, '\\$&')}"`
}
