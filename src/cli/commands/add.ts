import type { Command } from 'commander'
import { LAYERS, type Layer } from '../../model/layer.ts'
import { SOURCES, type Source, type Tier } from '../../model/memory.ts'
import type { NewMemory } from '../../model/schema.ts'
import { formatMemory } from '../format-memory.ts'
import { noteHeld } from '../held.ts'
import { addIdentifierOptions, type IdentifierOptions, nearestLayer, readIdentifiers } from '../identifiers.ts'
import { addFieldOptions, type FieldOptions, readFields } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { paint, printJson, printLine } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'
import { readText } from '../read-text.ts'

interface Options extends GlobalOptions, IdentifierOptions, FieldOptions {
  layer?: Layer
  source?: Source
  tier?: Tier
}

/** Layers whose memories belong to a project. */
const WITHIN_PROJECT: readonly Layer[] = ['agent', 'task', 'section', 'project']

/** `nokosu add` */
export function configure(command: Command): void {
  addIdentifierOptions(command.argument('<text>', "one observation, or '-' to read it from standard input"))
    .option('--layer <layer>', `${LAYERS.join(', ')} (default: the nearest whose identifier is given)`)
    .option('--source <source>', SOURCES.join(', '))
    .option('--tier <tier>', '0 operator, 1 observes, 2 investigates, 3 remediates', parseWhole)
  addFieldOptions(command)
    .addHelpText(
      'after',
      `
In --metadata, numbers, true, false and null are stored as JSON values; write key='"5"' for text.

Examples:
  nokosu add --project shop --category timing --service jellyfin --tag boot "Takes 60s to start"
  git log -1 --format=%s | nokosu add --task T7 --project shop --category submission --expires 30d -`,
    )
    .action(add)
}

async function add(text: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  // Without any flag the project is what most people mean: the configured one, or the error names it.
  const layer = options.layer ?? nearestLayer(readIdentifiers(options)) ?? 'project'
  const fields = readFields(options)
  const content = await readText(text)
  const result = await withEngine(options, 'write', (engine, config) =>
    engine.add({
      content,
      layer,
      identifiers: readIdentifiers(options, WITHIN_PROJECT.includes(layer) ? config : {}),
      ...fields,
      ...(options.source === undefined ? {} : { source: options.source }),
      ...(options.tier === undefined ? {} : { tier: options.tier }),
      // The engine says what is wrong with a layer or an identifier.
    } as NewMemory),
  )
  if (options.json) return printJson(result)
  const held = result.memory.trust === 'quarantined'
  await printLine(
    `${held ? paint('yellow', 'Held for review.') : paint('green', 'Remembered.')}\n\n${formatMemory(result.memory)}`,
  )
  noteHeld(held ? 1 : 0)
}
