import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gitIn } from '../../agents/workspace/git.ts'
import { LOG_FORMAT, parseLog } from '../../learn/history.ts'
import { learnRepository } from '../../learn/learn.ts'
import type { RepositoryFiles } from '../../learn/repository-files.ts'
import { MemoryError } from '../../model/errors.ts'
import { defineCommand } from '../command.ts'
import { offerNotes } from '../offer-notes.ts'
import { readConfig } from '../open-engine.ts'
import { note } from '../output.ts'
import { shell } from '../shell.ts'

const MOST_COMMITS = 500
/** A file of another kind, or a generated one. */
const MOST_BYTES = 2 << 20

/** `nokosu learn` */
export const { configure } = defineCommand({
  arguments: [['[folder]', 'the repository (default: the current one)']],
  identifiers: ['agent', 'project', 'team', 'org', 'company'],
  options: {
    '--dry-run': 'only show what would be stored',
    '-y, --yes': 'store every suggestion without asking',
  },
  help: `
Reads the repository, without a model, and suggests memories, each with its source: facts in README, CONTRIBUTING and the
instructions for agents (CLAUDE.md, AGENTS.md, .cursor/rules), scripts, Makefile, Compose files, CI workflows, and what the
last ${MOST_COMMITS} commits reverted or fixed again. Rules are left out: agents read them anyway. You pick what to store. Known facts are
left out, so you can run it again at any time.

Examples:
  nokosu learn
  nokosu learn --dry-run
  nokosu learn ../shop --project shop --yes`,
  async run(options, folder) {
    const { root } = await readConfig(options)
    const place = folder === undefined ? root : resolve(shell().cwd, folder)
    if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
      throw new MemoryError('INVALID_INPUT', `There is no folder ${place}.`, { details: { field: 'folder' } })
    }
    const notes = learnRepository(filesOf(place), await readCommits(place))
    const nothing = 'Found nothing worth remembering'
    return offerNotes({ name: 'learn', notes, onlyNew: true, nothing }, options)
  },
})

function filesOf(root: string): RepositoryFiles {
  const statsOf = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false })
  return {
    has: (path) => statsOf(path)?.isFile() === true,
    read(path) {
      const stats = statsOf(path)
      if (!stats?.isFile()) return null
      if (stats.size <= MOST_BYTES) return readFileSync(join(root, path), 'utf8')
      note(`${path} was not read: it is larger than ${MOST_BYTES >> 20} MB.`)
      return null
    },
    list(folder) {
      return statsOf(folder)?.isDirectory() ? readdirSync(join(root, folder)).sort() : []
    },
  }
}

/** Empty without a repository or a commit. */
async function readCommits(folder: string) {
  const args = ['log', '-n', String(MOST_COMMITS), '--no-merges', '--name-only', '--relative', `--format=${LOG_FORMAT}`]
  try {
    return parseLog(Buffer.from(await gitIn(folder)(args), 'latin1').toString('utf8'))
  } catch (error) {
    note(`The history was not read: ${(error as Error).message}`)
    return []
  }
}
