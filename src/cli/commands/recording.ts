import { recordingInstructions } from '../../capture/recording-instructions.ts'
import { defineCommand } from '../command.ts'
import { printJson, printLine } from '../output.ts'

export const { configure } = defineCommand({
  help: `
Prints the prompt section that teaches an agent to write [MEMORY:...] lines, for agents that are not started by 'nokosu run'.
'nokosu run', 'nokosu tier' and the plugin for Claude Code add it by themselves. Store what such an agent writes with
'nokosu capture'.

Examples:
  nokosu recording >> AGENTS.md
  claude -p "check the services" --append-system-prompt "$(nokosu recording; nokosu context)"`,
  async run({ json }) {
    const text = recordingInstructions()
    await (json ? printJson({ text }) : printLine(text))
  },
})
