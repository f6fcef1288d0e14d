import type { Recall } from '../../engine/recall.ts'
import { invalidInput } from '../../model/errors.ts'
import type { Moment } from '../../model/moment.ts'
import { jsonOr } from '../../text/json.ts'
import { roundDown } from '../../text/round-down.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { readClaim } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, noteEmpty, printJson, write } from '../output.ts'
import { invalid, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  identifiers: 'claim',
  options: {
    '--prompt <text>': 'what an agent is asked to do: a prompt, or a task',
    '--tool <name>': 'a tool that it is about to use, or has used, such as Bash',
    '--input <text>': 'the input of the tool: a command, or JSON',
    '--error <text>': 'the error of the tool',
    '--output <text>': 'the output of the tool',
    '--limit <number>': ['maximum number of lines', whole(1, 100)],
    '--shown-to <session>': 'record that this session was shown the lines; without it nothing is recorded',
    '--explain': 'explain on standard error why each line is shown, and what was left out',
  },
  help: `
Prints what an agent would be shown at a moment of its work: a few lines, or nothing if no memory matters. --session and --shown-to
leave out what that session has already seen.

Examples:
  nokosu recall --prompt "fix the login redirect"
  nokosu recall --tool Bash --input 'terraform apply' --explain
  nokosu recall --tool Bash --input './deploy' --error 'E4711: the price list is empty'
  nokosu recall --tool Bash --input './deploy --plan' --output 'prices: 0 rows'`,
  async run(options) {
    const { prompt, tool, input, error, output, limit, shownTo, explain } = options
    const moment = momentOf({ prompt, tool, input, error, output })
    const session = shownTo ?? options.session
    const recalled = await withEngine(
      { ...options, json: true },
      shownTo === undefined ? 'read' : 'write',
      (engine, config) => {
        if (explain && moment.kind !== 'task' && !config.recall[moment.kind])
          note(`Claude Code is not shown this: the configuration sets recall.${moment.kind} to false.`)
        return engine.recall({
          ...readClaim(options, config),
          ...withoutUndefined({ session, limit, explain }),
          moment,
          record: shownTo !== undefined,
        })
      },
      (config) => readClaim(options, config),
    )
    if (options.json) return printJson(recalled)
    if (recalled.text !== '') await write(`${recalled.text}\n`)
    else if (shell().stdout.isTTY) noteEmpty('No memory matters at this moment.')
    if (explain) explainLines(recalled)
  },
})

interface Said {
  prompt: string | undefined
  tool: string | undefined
  input: string | undefined
  error: string | undefined
  output: string | undefined
}

function momentOf({ prompt, tool, input, error, output }: Said): Moment {
  if (prompt !== undefined && [tool, input, error, output].some((each) => each !== undefined)) {
    throw invalid('prompt', 'it cannot be combined with --tool, --input, --error or --output')
  }
  if (error !== undefined && output !== undefined) throw invalid('output', 'use --error alone for a tool that failed')
  const use = withoutUndefined({ name: tool, input: input === undefined ? undefined : readInput(input) })
  if (error !== undefined) return { kind: 'failure', ...use, error }
  if (output !== undefined) return { kind: 'output', ...use, text: output }
  if (tool !== undefined) return { kind: 'tool', ...use, name: tool }
  if (prompt !== undefined) return { kind: 'prompt', text: prompt }
  throw invalidInput('prompt', 'Which moment? Give --prompt, --tool, --error or --output.')
}

/** A JSON value is a tool's whole input; anything else is its command. */
function readInput(input: string): string | Record<string, unknown> {
  if (!input.startsWith('{')) return input
  // A command may begin with a brace.
  return jsonOr(input, input) as Record<string, unknown> | string
}

function explainLines({ lines, omitted = [] }: Recall): void {
  for (const { memory, score, reason } of lines) note(`shown    ${memory.id}  ${roundDown(score)}  ${reason}`)
  for (const { id, score, reason } of omitted) note(`left out ${id}  ${roundDown(score)}  ${reason}`)
}
