import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import type { MemoryPatch } from '../../model/schema.ts'
import { typedWith } from '../command-line.ts'
import { formatMemory } from '../format-memory.ts'
import { noteHeld } from '../held.ts'
import { addClaimOptions, type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { addFieldOptions, type FieldOptions, readFields } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { paint, printJson, printLine } from '../output.ts'
import { wholeIn } from '../parse-flags.ts'
import { readText } from '../read-text.ts'
import { resolveMemory } from '../resolve-id.ts'

interface Options extends GlobalOptions, FieldOptions, ClaimOptions {
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
    addClaimOptions(command.argument('<id>', 'the id of a memory, or 6 characters or more of it')).option(
      '--content <text>',
      "the new text, or '-' to read it from standard input",
    ),
  )
    .option('--general', 'remove the service: the memory becomes general')
    .option('--clear-tags', 'remove all tags')
    .option('--active', 'make it active again')
    .option('--inactive', 'keep it, but show it to no agent')
    .option(
      '--if-version <number>',
      'change it only if this is its version',
      wholeIn('--if-version', 1, Number.MAX_SAFE_INTEGER, 'version'),
    )
    .addHelpText(
      'after',
      `
Tags are replaced; metadata is merged key by key; --expires never and --happened never remove the time, --thread none takes it out
of its thread.

Examples:
  nokosu update 9XTQYDJ2 --content "Takes 90s to start" --if-version 1
  nokosu update --all 01JZX5VQ3M7N8P9R0S1T2V3W4X --confidence 0.9 --metadata verified=true`,
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
  if (Object.keys(patch).every((key) => key === 'version')) {
    const hint = `Say what:\n  ${typedWith('--content', 'Takes 90s to start')}`
    throw new MemoryError('INVALID_INPUT', 'Nothing to change: no flag says what.', { details: { hint } })
  }
  const result = await withEngine(options, 'change', async (engine, config) => {
    const claim = readOnlooker(options, config)
    return engine.update(await resolveMemory(engine, claim, id), patch, claim)
  })
  if (options.json) return printJson(result)
  await printLine(`${paint('green', 'Changed.')}\n\n${formatMemory(result.memory)}`)
  noteHeld(result.memory.trust === 'quarantined' ? 1 : 0)
}
