import type { Command } from 'commander'
import { readOwner } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { printJson, write } from '../output.ts'

interface Options extends GlobalOptions {
  agent: string
  shownTo?: string
}

/** `nokosu fetch-memory` */
export function configure(command: Command): void {
  command
    .requiredOption('--agent <id>', 'the agent')
    .option('--project <id>', 'the project (default: NOKOSU_PROJECT, the configuration’s, the repository)')
    .option('--shown-to <session>', 'record that this session is shown it')
    .addHelpText(
      'after',
      `
Prints the text of .claude/memory/MEMORY.md: the 50 newest memories of an agent in a project, then the project's, and nothing
when there are none.

Examples:
  nokosu fetch-memory --agent nori --project shop > .claude/memory/MEMORY.md`,
    )
    .action(fetchMemory)
}

async function fetchMemory(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { agent, shownTo } = options
  const intent = shownTo === undefined ? 'read' : 'write'
  const context = await withEngine({ ...options, json: true }, intent, (engine, config) =>
    engine.context({
      format: 'file',
      identifiers: readOwner({ agent }, config),
      ...(shownTo === undefined ? {} : { session: shownTo }),
    }),
  )
  if (options.json) return printJson(context)
  await write(context.text)
}
