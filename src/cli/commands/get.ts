import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import { formatChanges } from '../format-history.ts'
import { formatMemory } from '../format-memory.ts'
import { addClaimOptions, type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, printJson, printLine } from '../output.ts'
import { readHistory } from '../read-history.ts'
import { nothingThere, resolveMemory } from '../resolve-id.ts'
import { shorten } from '../short-id.ts'

interface Options extends GlobalOptions, ClaimOptions {
  history?: boolean
}

/** `nokosu get` */
export function configure(command: Command): void {
  addClaimOptions(command.argument('<id>', 'the id of a memory, or 6 characters or more of it'))
    .option('--history', "also every change, as 'nokosu history' shows it")
    .addHelpText(
      'after',
      `
Examples:
  nokosu get 9XTQYDJ2
  nokosu get --project shop 01JZX5VQ3M7N8P9R0S1T2V3W4X --history`,
    )
    .action(get)
}

async function get(given: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  await withEngine(options, 'read', async (engine, config) => {
    const claim = readOnlooker(options, config)
    const id = await resolveMemory(engine, claim, given, { deleted: options.history === true }).catch(async (error) => {
      // As the library answers: null, and the exit code says that it is not there.
      if (options.json && !options.history && MemoryError.is(error) && error.code === 'MEMORY_NOT_FOUND') {
        await printJson(null)
      }
      throw error
    })
    if (options.history && options.json)
      return printJson({ changes: await readHistory(engine, claim, id), nextCursor: null })
    const memory = await engine.get(id, claim)
    if (options.json) await printJson(memory)
    if (memory === null && !options.history) throw await nothingThere(engine, claim, id)
    if (options.json) return
    const changes = options.history ? await readHistory(engine, claim, id) : []
    await printLine(memory === null ? 'It was deleted.' : formatMemory(memory))
    if (changes.length > 0) await printLine(`\n${formatChanges(changes)}`)
    if (memory === null) note(`Bring it back: nokosu undelete ${shorten(id)}`)
  })
}
