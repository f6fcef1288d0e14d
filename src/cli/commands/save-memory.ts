import { invalidInput } from '../../model/errors.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { isHeld, noteHeld } from '../format-outcome.ts'
import { PROJECT_OPTION, readOwner } from '../identifiers.ts'
import { quietly, withEngine } from '../open-engine.ts'
import { countOf, note, printJson } from '../output.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  required: { '--agent <id>': 'the agent' },
  options: { ...PROJECT_OPTION, '--session <id>': 'the run it comes from; saving it again changes nothing' },
  help: `
Reads a JSON array from standard input, of texts or of {"content": ..., "category": ..., "service": ...}, and stores each as a
memory of the agent in the project. Arrays inside a code block or other text are found too.

Examples:
  echo '["Prices are in cents"]' | nokosu save-memory --agent nori --project shop`,
  async run(options) {
    const { agent, session } = options
    const report = await withEngine(
      quietly(options),
      'write',
      (engine, config) => {
        const identifiers = readOwner({ agent }, config)
        return engine.capture(shell().stdin, { format: 'learnings', identifiers, ...withoutUndefined({ session }) })
      },
      (config) => readOwner({ agent }, config),
    )
    if (options.json) await printJson(report)
    else {
      note(`${countOf(report.outcomes.length, 'learning', 'learnings')} taken.`)
      noteHeld(report.outcomes.filter(isHeld).length)
    }
    const [refused] = report.refusals
    if (refused === undefined) return
    throw invalidInput('stdin', `Not everything was stored: ${refused.reason}`, { refused: report.refusals.length })
  },
})
