import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import { formatChange, formatMemory } from '../format-memory.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { printJson, printLine } from '../output.ts'

interface Options extends GlobalOptions {
  history?: boolean
}

/** `nokosu get` */
export function configure(command: Command): void {
  command
    .argument('<id>', 'the id of a memory')
    .option('--history', 'every change, oldest first; of a deleted memory too')
    .addHelpText('after', '\nExamples:\n  nokosu get 01JZX5VQ3M7N8P9R0S1T2V3W4X --history')
    .action(get)
}

async function get(id: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { memory, changes } = await withEngine(options, 'read', async (engine) => ({
    memory: await engine.get(id),
    changes: options.history ? await engine.history(id) : [],
  }))
  const unknown = memory === null && changes.length === 0
  const missing = new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
  if (options.json) {
    await printJson(options.history ? changes : memory)
    if (unknown) throw missing
    return
  }
  if (unknown) throw missing
  await printLine(memory === null ? 'It was deleted.' : formatMemory(memory))
  if (changes.length > 0) await printLine(`\n${changes.map(formatChange).join('\n')}`)
}
