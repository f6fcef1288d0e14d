import { CONTEXT_FORMATS, type Context } from '../../engine/context.ts'
import { invalidInput } from '../../model/errors.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { explainUnknownNames } from '../explain-empty.ts'
import { whyMarked } from '../format-memory.ts'
import { readClaim } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, noteEmpty, printJson, write } from '../output.ts'
import { number, oneOf, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  identifiers: 'claim',
  options: {
    '--format <format>': ['output format (default: operational)', oneOf(CONTEXT_FORMATS)],
    '--for <text>': 'the first prompt or task of the session; memories relevant to it are shown too',
    '--query <text>': 'what the agent is about to do, for the query format',
    '--budget <tokens>': ['token budget of the whole block (default: from the configuration, 2000)', whole(1)],
    '--threshold <number>': ['the minimum score, for the query format (default: 0.7)', number(0, 1)],
    '--shown-to <session>': 'record that this session was shown the block; without it nothing is recorded',
    '--explain': 'explain on standard error what was left out and why',
  },
  help: `
Prints the block of memories that an agent is shown. It prints nothing when there are no memories.

Formats:
  operational  for a system prompt: most certain first, grouped by service;
               if not all fit, pinned ones first; with --for a quarter of the
               budget is for memories relevant to it, after the rest
  workflow     the ## MEMORY section of coder and reviewer prompts: memories of
               the task, its section and its project
  file         a Markdown list for .claude/memory/MEMORY.md: the 50 newest of
               an agent in a project, then the project's
  query        memories that match --query

Examples:
  claude -p "check the services" --append-system-prompt "$(nokosu context --project home --shown-to run-7)"
  nokosu context --project shop --for "fix the login redirect"
  nokosu context --format query --project shop --query "fix the login redirect" --explain`,
  async run(options) {
    const { format, for: task, query, budget, threshold, shownTo: session } = options
    const misplaced =
      format === 'query' ? null : query !== undefined ? 'query' : threshold !== undefined ? 'threshold' : null
    if (misplaced !== null) throw invalidInput(misplaced, `--${misplaced} only works with --format query.`)
    let enabled = true
    let elsewhere: string | null = null
    const built = await withEngine(
      { ...options, json: true },
      session === undefined ? 'read' : 'write',
      async (engine, config) => {
        enabled = engine.settings.enabled
        const request = withoutUndefined({ format, for: task, query, budget, threshold, session })
        // The engine reports which of these exclude each other.
        const given = { ...readClaim(options, config), ...request } as Parameters<typeof engine.context>[0]
        const found = await engine.context(given)
        if (enabled && found.text === '' && !options.json && !shell().storeMissing) {
          elsewhere = await explainUnknownNames(engine, options, config)
        }
        return found
      },
      (config) => readClaim(options, config),
    )
    if (options.json) return printJson(built)
    if (built.text !== '') await write(built.text.endsWith('\n') ? built.text : `${built.text}\n`)
    else if (elsewhere !== null) noteEmpty(elsewhere)
    // For `$(nokosu context)` an empty result is right; a person needs an explanation.
    else if (shell().stdout.isTTY) noteEmpty("There is nothing to show. 'nokosu list' shows what is remembered.")
    if (!options.explain) return
    if (enabled) explainContext(built)
    else note('Memory is switched off: memory.enabled is false in the configuration.')
  },
})

function explainContext({ included, omitted, available, tokens, memories }: Context): void {
  note(`${included.length} of ${countOf(available, 'memory', 'memories')} shown, ~${tokens} tokens.`)
  for (const memory of memories) {
    const why = whyMarked(memory)
    const mark = why.length === 0 ? '' : `, unverified: it ${why.join('; it ')}`
    const recalled = countOf(memory.recallCount, 'time', 'times')
    note(`shown    ${memory.id}  confidence ${memory.confidence}, recalled ${recalled}${mark}`)
  }
  for (const { id, reason } of omitted) note(`left out ${id}  ${reason}`)
}
