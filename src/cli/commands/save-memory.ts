import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import { isHeld, noteHeld } from '../held.ts'
import { readOwner } from '../identifiers.ts'
import { type GlobalOptions, quietly, withEngine } from '../open-engine.ts'
import { countOf, note, printJson } from '../output.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions {
  agent: string
  session?: string
}

/** `nokosu save-memory` */
export function configure(command: Command): void {
  command
    .requiredOption('--agent <id>', 'the agent')
    .option('--project <id>', 'the project (default: NOKOSU_PROJECT, the configuration’s, the repository)')
    .option('--session <id>', 'the run it comes from; saved again it changes nothing')
    .addHelpText(
      'after',
      `
Reads a JSON array from standard input, of texts or of {"content": ..., "category": ..., "service": ...}, and remembers each as
the agent's in the project. Arrays in a code block or between words are found too.

Examples:
  echo '["Prices are in cents"]' | nokosu save-memory --agent nori --project shop`,
    )
    .action(saveMemory)
}

async function saveMemory(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { agent, session } = options
  const report = await withEngine(
    quietly(options),
    'write',
    (engine, config) =>
      engine.capture(shell().stdin, {
        format: 'learnings',
        identifiers: readOwner({ agent }, config),
        ...(session === undefined ? {} : { session }),
      }),
    (config) => readOwner({ agent }, config),
  )
  if (options.json) await printJson(report)
  else {
    note(`${countOf(report.outcomes.length, 'learning', 'learnings')} taken.`)
    noteHeld(report.outcomes.filter(isHeld).length)
  }
  const [refused] = report.refusals
  if (refused === undefined) return
  throw new MemoryError('INVALID_INPUT', `Not everything was remembered: ${refused.reason}`, {
    details: { field: 'stdin', refused: report.refusals.length },
  })
}
