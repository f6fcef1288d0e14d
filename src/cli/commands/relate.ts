import type { Command } from 'commander'
import { escapeTerminal } from '../../guard/escape.ts'
import { prepareRelater, type Relation } from '../../lifecycle/relate/relate.ts'
import { localRelationModel } from '../../lifecycle/relate/relation-model.ts'
import { MemoryError } from '../../model/errors.ts'
import type { GlobalOptions } from '../open-engine.ts'
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
numbers and notation are made alike; a small model on this machine compares different words. It stores nothing.

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
  const { json } = command.optsWithGlobals<GlobalOptions>()
  for (const [field, text] of Object.entries({ one, other: two })) {
    if (text.trim() !== '') continue
    throw new MemoryError('INVALID_INPUT', `Invalid ${field}: it says nothing.`, { details: { field } })
  }
  const [a, b] = [
    { text: one, vector: null },
    { text: two, vector: null },
  ]
  const model = localRelationModel()
  try {
    const { relation, score, reason } = (await prepareRelater([{ a, b }], { model })).relate(a, b)
    if (json) return await printJson({ relation, score, reason })
    const [style, name, effect] = MEANS[relation]
    await printLine(`${paint(style, name)}  ${escapeTerminal(reason)}`)
    await printLine(paint('dim', effect))
  } finally {
    await model.close()
  }
}
