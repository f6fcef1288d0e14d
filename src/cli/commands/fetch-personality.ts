import { renderPersonality } from '../../agents/personality.ts'
import { defineCommand } from '../command.ts'
import { withEngine } from '../open-engine.ts'
import { printJson, write } from '../output.ts'

export const { configure } = defineCommand({
  required: { '--agent <id>': 'the agent' },
  help: `
Prints the section that goes before an agent's role instructions, from its stored personality or the built-in default. It prints
nothing for an agent that has neither. With --json it prints the profile, or null.

Examples:
  { nokosu fetch-personality --agent nori; cat roles/coder.md; } > CLAUDE.md`,
  async run({ json, ...options }) {
    const profile = await withEngine({ ...options, json: true }, 'read', (engine) =>
      engine.personality.profile(options.agent),
    )
    if (json) return printJson(profile)
    if (profile !== null) await write(renderPersonality(profile))
  },
})
