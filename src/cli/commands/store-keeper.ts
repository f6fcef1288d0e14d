import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import { keepStore } from '../../remote/keeper.ts'
import { type GlobalOptions, openEngine, readConfig, spoolFoldersOf } from '../open-engine.ts'

/** `nokosu store-keeper`: the process that holds the store while `nokosu run` runs an agent. */
export function configure(command: Command): void {
  command.action(keep)
}

async function keep(_: unknown, command: Command): Promise<void> {
  if (!process.connected) {
    throw new MemoryError('INVALID_INPUT', "This command is started by 'nokosu run', and by nothing else.")
  }
  const config = await readConfig({ ...command.optsWithGlobals<GlobalOptions>(), log: 'silent' })
  await keepStore({ open: () => openEngine(config, 'write'), spool: await spoolFoldersOf(config) })
}
