import type { Command } from 'commander'
import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Change } from '../../model/records.ts'
import type { Claim } from '../../model/schema.ts'
import { formatChanges, formatMemory } from '../format-memory.ts'
import { addClaimOptions, type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { printJson, printLine } from '../output.ts'

interface Options extends GlobalOptions, ClaimOptions {
  history?: boolean
}

/** `nokosu get` */
export function configure(command: Command): void {
  addClaimOptions(command.argument('<id>', 'the id of a memory'))
    .option('--history', 'every change, oldest first; of a deleted memory too')
    .addHelpText('after', '\nExamples:\n  nokosu get --project shop 01JZX5VQ3M7N8P9R0S1T2V3W4X --history')
    .action(get)
}

async function get(id: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { memory, changes } = await withEngine(options, 'read', async (engine, config) => {
    const claim = readOnlooker(options, config)
    return { memory: await engine.get(id, claim), changes: options.history ? await readHistory(engine, id, claim) : [] }
  })
  const unknown = memory === null && changes.length === 0
  const missing = new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
  if (options.json) {
    await printJson(options.history ? { changes, nextCursor: null } : memory)
    if (unknown) throw missing
    return
  }
  if (unknown) throw missing
  await printLine(memory === null ? 'It was deleted.' : formatMemory(memory))
  if (changes.length > 0) await printLine(`\n${formatChanges(changes)}`)
}

async function readHistory(engine: Nokosu, id: string, claim: Claim): Promise<Change[]> {
  const found: Change[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Nokosu['history']>> = await engine.history(id, {
      ...claim,
      limit: LIMITS.pageLimit,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.changes)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}
