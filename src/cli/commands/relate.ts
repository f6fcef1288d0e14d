import type { Command } from 'commander'
import { openEmbedding } from '../../embedding/open-embedding.ts'
import { escapeTerminal } from '../../guard/escape.ts'
import { floorFor, prepareRelater, type Relation } from '../../lifecycle/relate/relate.ts'
import { localRelationModel } from '../../lifecycle/relate/relation-model.ts'
import { MemoryError } from '../../model/errors.ts'
import { type GlobalOptions, readConfig } from '../open-engine.ts'
import { paint, printJson, printLine, type Style } from '../output.ts'

/** `nokosu relate` */
export function configure(command: Command): void {
  command
    .argument('<one>', 'a statement')
    .argument('<other>', 'another one')
    .addHelpText(
      'after',
      `
Says how two statements stand to each other, as it is decided when something new is remembered: the same (the old memory
grows surer), a contradiction (the old one is weakened), or something else (both are kept). The same words count as the same once
numbers and notation are made alike; a small model on this machine compares different words, unless their vectors lie too far apart to
be about the same. It stores nothing.

Examples:
  nokosu relate "The leak was fixed in 3.2" "The leak is still there in 3.2"
  nokosu relate "Takes 60s to start" "Takes about a minute to start" --json`,
    )
    .action(relate)
}

const MEANS: Record<Relation, readonly [Style, string, string]> = {
  same: ['green', 'same', 'The second would make the first surer.'],
  contradicts: ['yellow', 'contradicts', 'The second would weaken the first and stand beside it.'],
  other: ['dim', 'other', 'Both would be kept.'],
}

async function relate(one: string, two: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>()
  for (const [field, text] of Object.entries({ one, other: two })) {
    if (text.trim() !== '') continue
    throw new MemoryError('INVALID_INPUT', `Invalid ${field}: it says nothing.`, { details: { field } })
  }
  const embedding = await openEmbedding((await readConfig(options)).embedding)
  const model = localRelationModel()
  try {
    const vectors = await embedding.embed([one, two])
    const [a, b] = [
      { text: one, vector: vectors[0]! },
      { text: two, vector: vectors[1]! },
    ]
    const relater = await prepareRelater([{ a, b }], { model, floor: floorFor(embedding.name) })
    const { relation, score, reason } = relater.relate(a, b)
    if (options.json) return await printJson({ relation, score, reason })
    const [style, name, effect] = MEANS[relation]
    await printLine(`${paint(style, name)}  ${escapeTerminal(reason)}`)
    await printLine(paint('dim', effect))
  } finally {
    await Promise.all([model.close(), embedding.close?.()])
  }
}
