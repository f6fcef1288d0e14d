import type { Command } from 'commander'
import { serveStore } from '../../remote/server.ts'
import { type GlobalOptions, openEngine, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { shell } from '../shell.ts'

/** `nokosu store-server`: the process that holds the store for a run, a hook or an orchestrator. */
export function configure(command: Command): void {
  command
    .addHelpText(
      'after',
      '\nAnswers requests on standard input, one JSON value a line, on standard output, until it is closed.',
    )
    .action(serve)
}

async function serve(_: unknown, command: Command): Promise<void> {
  const config = await readConfig({ ...command.optsWithGlobals<GlobalOptions>(), log: 'silent' })
  const { stdin, stdout } = shell()
  // A caller that is gone is no reason to stop before everything is stored.
  stdout.removeAllListeners('error')
  await serveStore({
    input: stdin,
    output: stdout,
    open: () => openEngine(config, 'write'),
    spoolFolders: await spoolFoldersOf(config),
  })
}
