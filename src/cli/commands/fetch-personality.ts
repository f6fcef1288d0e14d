import type { Command } from 'commander'
import { renderPersonality } from '../../agents/personality.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { printJson, write } from '../output.ts'

interface Options extends GlobalOptions {
  agent: string
}

/** `nokosu fetch-personality` */
export function configure(command: Command): void {
  command
    .requiredOption('--agent <id>', 'the agent')
    .addHelpText(
      'after',
      `
Prints the section that goes before an agent's role instructions, from its stored personality or the built-in default. It prints
nothing for an agent that has neither. With --json it prints the profile, or null.

Examples:
  { nokosu fetch-personality --agent nori; cat roles/coder.md; } > CLAUDE.md`,
    )
    .action(fetchPersonality)
}

async function fetchPersonality(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const profile = await withEngine({ ...options, json: true }, 'read', (engine) =>
    engine.personality.profile(options.agent),
  )
  if (options.json) return printJson(profile)
  if (profile !== null) await write(renderPersonality(profile))
}
