import type { Command } from 'commander'
import { readRecording } from '../../agents/read-prompt.ts'
import type { GlobalOptions } from '../open-engine.ts'
import { printJson, printLine } from '../output.ts'

/** `nokosu recording` */
export function configure(command: Command): void {
  command
    .addHelpText(
      'after',
      `
Prints the section that teaches an agent to leave [MEMORY:...] lines, for the prompt of an agent that something else than
'nokosu run' starts. 'nokosu run', 'nokosu tier' and the plugin for Claude Code add it by themselves. What the agent says is
then taken with 'nokosu capture'.

Examples:
  nokosu recording >> AGENTS.md
  claude -p "check the services" --append-system-prompt "$(nokosu recording; nokosu context)"`,
    )
    .action(recording)
}

async function recording(_: unknown, command: Command): Promise<void> {
  const text = await readRecording()
  if (command.optsWithGlobals<GlobalOptions>().json) return printJson({ text })
  await printLine(text)
}
