import { resolve } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { defineCommand } from '../command.ts'
import { agree } from '../confirm.ts'
import { PROJECT_OPTION } from '../identifiers.ts'
import { missingScope } from '../missing-scope.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { oneOf } from '../parse-flags.ts'
import { shell } from '../shell.ts'
import { SyncFolder } from '../sync/folder.ts'
import { type SyncReport, sync } from '../sync/sync.ts'

/** `nokosu sync` */
export const { configure } = defineCommand({
  arguments: [['<folder>', 'the folder of the files, such as docs/memory']],
  options: {
    ...PROJECT_OPTION,
    '--prefer <side>': ['where both sides changed, take this one', oneOf(['files', 'store'])],
    '--dry-run': 'only show what would change',
    '-y, --yes': 'do not ask before most of one side is deleted',
  },
  help: `
Keeps a Markdown file for each memory of the project, in both directions: what changed in the store is written to the files, and what
you edited, added or deleted there is applied to the store. Only memories that agents are shown have a file.

Where both sides changed since the last sync, both stay as they are, the conflict is shown and the exit code is 1; --prefer decides.
The other text is kept: the store's in the memory's history, a file's in .nokosu-sync/replaced.

The files suit git: the same memory always gives the same text under the same name. .nokosu-sync records what was last synced with
this store, and git ignores it.

Examples:
  nokosu sync docs/memory
  nokosu sync docs/memory --dry-run
  nokosu sync docs/memory --prefer files`,
  async run(options, path) {
    if (shell().env.NOKOSU_SESSION) {
      throw new MemoryError('UNAUTHORIZED', 'Only an operator syncs memories with files, and this is inside a run.')
    }
    const folder = new SyncFolder(resolve(shell().cwd, path))
    const report = await withEngine(options, options.dryRun ? 'read' : 'write', async (engine, { project }) => {
      if (project === undefined) throw missingScope({ all: false })
      // On a terminal, the files count as the operator's own words; elsewhere their author is unknown.
      const own = engine.as({ projectId: project }, { seesHeld: shell().stdin.isTTY === true })
      return sync(own, {
        folder,
        operator: engine.as({ projectId: project }),
        project,
        prefer: options.prefer ?? null,
        dryRun: options.dryRun ?? false,
        async agree(deleted, side) {
          const what = side === 'store' ? 'memories, whose files are gone' : 'files, whose memories are gone'
          if (await agree(`Delete ${deleted} ${what}?`, options)) return
          note('Nothing was changed.')
          throw new Declined()
        },
      })
    }).catch((error: unknown) => {
      if (error instanceof Declined) return null
      throw error
    })
    if (report === null) return
    if (report.conflicts.length > 0 || report.bad.length > 0) shell().exitCode = 1
    return options.json ? printJson({ folder: path, dryRun: options.dryRun ?? false, ...report }) : tell(report)
  },
})

/** Ends a sync that the user declines. Never leaves this file. */
class Declined extends Error {}

const WORDS = {
  add: ['added to the store', 'green'],
  update: ['changed in the store', 'cyan'],
  delete: ['deleted in the store', 'yellow'],
  write: ['written', 'green'],
  remove: ['removed', 'yellow'],
} as const
const GUARD = { held: 'held for review: nokosu review', marked: 'shown as unverified' } as const
const WIDTH = 20

async function tell({ actions, conflicts, bad, unchanged }: SyncReport): Promise<void> {
  for (const { action, file, kept, guard } of actions) {
    const [word, style] = WORDS[action]
    await printLine(
      `${paint(style, word.padEnd(WIDTH))}  ${file}${kept === undefined ? '' : paint('dim', `  (before: ${kept})`)}${guard === undefined ? '' : paint('yellow', `  (${GUARD[guard]})`)}`,
    )
  }
  for (const { file, inFile, inStore } of conflicts) {
    await printLine(`${paint('red', 'conflict'.padEnd(WIDTH))}  ${file}`)
    await printLine(`${' '.repeat(WIDTH)}  file   ${inFile ?? '(deleted)'}`)
    await printLine(`${' '.repeat(WIDTH)}  store  ${inStore ?? '(deleted, or no longer shown)'}`)
  }
  for (const { file, problem } of bad)
    await printLine(`${paint('red', 'not taken'.padEnd(WIDTH))}  ${file}: ${problem}`)
  if (actions.length + conflicts.length + bad.length === 0) await printLine('Both sides are the same.')
  else if (unchanged > 0) note(`${countOf(unchanged, 'file is', 'files are')} as before.`)
  if (conflicts.length > 0) note('Both stay as they are. Decide with --prefer files or --prefer store.')
}
