import type { Command } from 'commander'
import { confirm } from '../confirm.ts'
import { addClaimOptions, type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, printJson, printLine } from '../output.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions, ClaimOptions {
  yes?: boolean
}

/** `nokosu delete` */
export function configure(command: Command): void {
  addClaimOptions(command.argument('<id...>', 'the ids of memories'))
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `
Deleting an unknown id succeeds and changes nothing. The history of a deleted memory is kept: nokosu get ID --history

Examples:
  nokosu delete --project shop 01JZX5VQ3M7N8P9R0S1T2V3W4X
  nokosu list --tag obsolete --all --json | jq -r '.memories[].id' | xargs nokosu delete --all --yes`,
    )
    .action(remove)
}

async function remove(ids: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  if (ids.length > 1 && !options.yes && shell().stdin.isTTY && !(await confirm(`Delete ${ids.length} memories?`))) {
    return note('Nothing was deleted.')
  }
  const result = await withEngine<{ success: true } | { deleted: number; failed: string[] }>(
    options,
    'write',
    (engine, config) => {
      const claim = readOnlooker(options, config)
      return ids.length === 1 ? engine.delete(ids[0]!, claim) : engine.bulkDelete(ids, claim)
    },
  )
  if ('failed' in result && result.failed.length > 0) shell().exitCode = 1
  if (options.json) return printJson(result)
  if ('success' in result) return printLine('Deleted.')
  await printLine(`Deleted ${result.deleted} of ${ids.length}.`)
  if (result.failed.length > 0) note(`Could not delete: ${result.failed.join(', ')}`)
}
