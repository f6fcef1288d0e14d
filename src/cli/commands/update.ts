import type { Command } from 'commander'
import type { MemoryPatch } from '../../model/schema.ts'
import { formatMemory } from '../format-memory.ts'
import { addFieldOptions, type FieldOptions, readFields } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { paint, printJson, printLine } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'
import { readText } from '../read-text.ts'

interface Options extends GlobalOptions, FieldOptions {
  content?: string
  general?: boolean
  clearTags?: boolean
  active?: boolean
  inactive?: boolean
  ifVersion?: number
}

/** `nokosu update` */
export function configure(command: Command): void {
  addFieldOptions(
    command
      .argument('<id>', 'the id of a memory')
      .option('--content <text>', "the new text, or '-' to read it from standard input"),
  )
    .option('--general', 'about no service any more')
    .option('--clear-tags', 'without tags')
    .option('--active', 'bring it back')
    .option('--inactive', 'keep it, but show it to nobody')
    .option('--if-version <number>', 'only if this is still its version', parseWhole)
    .addHelpText(
      'after',
      `
Tags are replaced; metadata is merged key by key; --expires never removes the time.

Examples:
  nokosu update 01JZX5VQ3M7N8P9R0S1T2V3W4X --content "Takes 90s to start" --if-version 1
  nokosu update 01JZX5VQ3M7N8P9R0S1T2V3W4X --confidence 0.9 --metadata verified=true`,
    )
    .action(update)
}

async function update(id: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { content, ifVersion } = options
  const patch: MemoryPatch = {
    ...readFields(options),
    ...(content === undefined ? {} : { content: await readText(content) }),
    ...(options.general ? { service: null } : {}),
    ...(options.clearTags ? { tags: [] } : {}),
    ...(options.active ? { active: true } : {}),
    ...(options.inactive ? { active: false } : {}),
    ...(ifVersion === undefined ? {} : { version: ifVersion }),
  }
  const result = await withEngine(options, 'write', (engine) => engine.update(id, patch))
  if (options.json) return printJson(result)
  await printLine(`${paint('green', 'Changed.')}\n\n${formatMemory(result.memory)}`)
}
