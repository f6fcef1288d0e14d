import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { PROJECT_OPTION, readOwner } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { printJson, write } from '../output.ts'

export const { configure } = defineCommand({
  required: { '--agent <id>': 'the agent' },
  options: { ...PROJECT_OPTION, '--shown-to <session>': 'record that this session is shown it' },
  help: `
Prints the text of .claude/memory/MEMORY.md: the 50 newest memories of an agent in a project, then the project's, and nothing
when there are none.

Examples:
  nokosu fetch-memory --agent nori --project shop > .claude/memory/MEMORY.md`,
  async run({ json, ...options }) {
    const { agent, shownTo: session } = options
    const intent = session === undefined ? 'read' : 'write'
    const context = await withEngine({ ...options, json: true }, intent, (engine, config) =>
      engine.context({ format: 'file', identifiers: readOwner({ agent }, config), ...withoutUndefined({ session }) }),
    )
    await (json ? printJson(context) : write(context.text))
  },
})
