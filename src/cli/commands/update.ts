import { MemoryError } from '../../model/errors.ts'
import type { MemoryPatch } from '../../model/schema.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { typedWith } from '../command-line.ts'
import { formatMemory } from '../format-memory.ts'
import { noteHeld } from '../format-outcome.ts'
import { readOnlooker } from '../identifiers.ts'
import { readText } from '../input.ts'
import { FIELD_OPTIONS, readFields } from '../memory-options.ts'
import { withEngine } from '../open-engine.ts'
import { paint, printJson, printLine } from '../output.ts'
import { collect, whole } from '../parse-flags.ts'
import { MEMORY_ID, resolveMemory } from '../resolve-id.ts'

export const { configure } = defineCommand({
  arguments: [MEMORY_ID],
  identifiers: 'claim',
  options: {
    '--content <text>': "the new text, or '-' to read it from standard input",
    ...FIELD_OPTIONS,
    '--tag <tag>': ['a tag, instead of its existing tags; may be repeated', collect],
    '--general': 'remove the service: the memory becomes general',
    '--clear-tags': 'remove all tags',
    '--active': 'make it active again',
    '--inactive': 'keep it, but do not show it to agents',
    '--if-version <number>': ['change it only if this is its version', whole(1, Number.POSITIVE_INFINITY, 'version')],
  },
  help: `
Tags are replaced, --guards included; metadata is merged key by key; --expires never and --happened never remove the time, --thread none removes it
from its thread.

Examples:
  nokosu update 9XTQYDJ2 --content "Takes 90s to start" --if-version 1
  nokosu update --all 01JZX5VQ3M7N8P9R0S1T2V3W4X --confidence 0.9 --metadata verified=true`,
  async run(options, id) {
    const { content, ifVersion: version } = options
    const patch: MemoryPatch = {
      ...readFields(options),
      ...(content === undefined ? {} : { content: await readText(content) }),
      ...(options.general ? { service: null } : {}),
      ...(options.clearTags ? { tags: [] } : {}),
      ...(options.active ? { active: true } : {}),
      ...(options.inactive ? { active: false } : {}),
    }
    if (Object.keys(patch).length === 0) {
      const hint = `For example:\n  ${typedWith('--content', 'Takes 90s to start')}`
      throw new MemoryError('INVALID_INPUT', 'Nothing to change: give at least one flag.', { details: { hint } })
    }
    const result = await withEngine(options, 'change', async (engine, config) => {
      const claim = readOnlooker(options, config)
      const whole = await resolveMemory(engine, claim, id)
      return engine.update(whole, { ...patch, ...withoutUndefined({ version }) }, claim)
    })
    if (options.json) return printJson(result)
    await printLine(`${paint('green', 'Changed.')}\n\n${formatMemory(result.memory)}`)
    noteHeld(result.memory.trust === 'quarantined' ? 1 : 0)
  },
})
