import type { Command } from 'commander'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { printJson, write } from '../output.ts'

interface Options extends GlobalOptions {
  agent: string
  project: string
  shownTo?: string
}

/** `nokosu fetch-memory` */
export function configure(command: Command): void {
  command
    .requiredOption('--agent <id>', 'the agent')
    .requiredOption('--project <id>', 'the project')
    .option('--shown-to <session>', 'record that this session is shown it')
    .addHelpText(
      'after',
      `
Prints the text of .claude/memory/MEMORY.md: the 50 newest memories of an agent in a project, and nothing when it has none.

Examples:
  nokosu fetch-memory --agent nori --project shop > .claude/memory/MEMORY.md`,
    )
    .action(fetchMemory)
}

async function fetchMemory(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { agent, project, shownTo } = options
  const context = await withEngine({ ...options, json: true }, shownTo === undefined ? 'read' : 'write', (engine) =>
    engine.context({
      format: 'file',
      identifiers: { agentId: agent, projectId: project },
      ...(shownTo === undefined ? {} : { session: shownTo }),
    }),
  )
  if (options.json) return printJson(context)
  await write(context.text)
}
