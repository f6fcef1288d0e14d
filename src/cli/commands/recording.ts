import { recordingInstructions } from '../../capture/recording-instructions.ts'
import { defineCommand } from '../command.ts'
import { printJson, printLine } from '../output.ts'

export const { configure } = defineCommand({
  help: `
Prints the section that teaches an agent to leave [MEMORY:...] lines, for the prompt of an agent that something else than
'nokosu run' starts. 'nokosu run', 'nokosu tier' and the plugin for Claude Code add it by themselves. What the agent says is
then taken with 'nokosu capture'.

Examples:
  nokosu recording >> AGENTS.md
  claude -p "check the services" --append-system-prompt "$(nokosu recording; nokosu context)"`,
  async run({ json }) {
    const text = recordingInstructions()
    await (json ? printJson({ text }) : printLine(text))
  },
})
