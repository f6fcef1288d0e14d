import type { Command } from 'commander'
import { formatChanges } from '../format-history.ts'
import { addClaimOptions, type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, printJson, printLine } from '../output.ts'
import { readHistory } from '../read-history.ts'
import { resolveMemory } from '../resolve-id.ts'
import { shorten } from '../short-id.ts'

/** `nokosu history` */
export function configure(command: Command): void {
  addClaimOptions(command.argument('<id>', 'the id of a memory, or 6 characters or more of it'))
    .addHelpText(
      'after',
      `
Shows every change to a memory, oldest first: when, by whom, and the words that changed, as [-old-]{+new+} or in colour on a
terminal. A deleted memory has its history too, until it is purged.

Examples:
  nokosu history 9XTQYDJ2
  nokosu history --all 01JZX5VQ3M7N8P9R0S1T2V3W4X --json`,
    )
    .action(history)
}

async function history(given: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions & ClaimOptions>()
  const changes = await withEngine(options, 'read', async (engine, config) => {
    const claim = readOnlooker(options, config)
    return readHistory(engine, claim, await resolveMemory(engine, claim, given, { deleted: true }))
  })
  if (options.json) return printJson({ changes, nextCursor: null })
  await printLine(formatChanges(changes))
  const last = changes.at(-1)!
  if (last.operation === 'delete') note(`It was deleted. Bring it back: nokosu undelete ${shorten(last.memory)}`)
}
