import type { Command } from 'commander'
import { CONTEXT_FORMATS, type Context, type ContextFormat } from '../../engine/context.ts'
import { choice } from '../choice.ts'
import { whyMarked } from '../format-memory.ts'
import { addClaimOptions, type ClaimOptions, readClaim } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, noteEmpty, printJson, write } from '../output.ts'
import { numberIn, wholeIn } from '../parse-flags.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions, ClaimOptions {
  format?: ContextFormat
  query?: string
  budget?: number
  threshold?: number
  shownTo?: string
  explain?: boolean
}

/** `nokosu context` */
export function configure(command: Command): void {
  addClaimOptions(command)
    .addOption(choice('--format <format>', 'how it is written (default: operational)', CONTEXT_FORMATS))
    .option('--query <text>', 'what the agent is about to do, for the query format')
    .option(
      '--budget <tokens>',
      'tokens of the whole block (default: the configuration’s, 2000)',
      wholeIn('--budget', 1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--threshold <number>',
      'the lowest score, for the query format (default: 0.7)',
      numberIn('--threshold', 0, 1),
    )
    .option('--shown-to <session>', 'record that this session was shown the block; without it nothing is recorded')
    .option('--explain', 'explain on standard error what was left out and why')
    .addHelpText(
      'after',
      `
Prints the block of memories that an agent is shown. It prints nothing when there are no memories.

Formats:
  operational  for a system prompt: highest confidence first, grouped by service
  workflow     the ## MEMORY section of coder and reviewer prompts: memories of
               the task, its section and its project
  file         a Markdown list for .claude/memory/MEMORY.md: the 50 newest of
               an agent in a project, then the project's
  query        memories that match --query

Examples:
  claude -p "check the services" --append-system-prompt "$(nokosu context --project home --shown-to run-7)"
  nokosu context --format query --project shop --query "fix the login redirect" --explain`,
    )
    .action(context)
}

async function context(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { format, query, budget, threshold, shownTo, explain } = options
  let enabled = true
  const built = await withEngine(
    { ...options, json: true },
    shownTo === undefined ? 'read' : 'write',
    (engine, config) => {
      enabled = engine.settings.enabled
      return engine.context({
        ...readClaim(options, config),
        ...(format === undefined ? {} : { format }),
        ...(query === undefined ? {} : { query }),
        ...(budget === undefined ? {} : { budget }),
        ...(threshold === undefined ? {} : { threshold }),
        ...(shownTo === undefined ? {} : { session: shownTo }),
        // The engine says which of these do not go together.
      } as Parameters<typeof engine.context>[0])
    },
    (config) => readClaim(options, config),
  )
  if (options.json) return printJson(built)
  if (built.text !== '') await write(built.text.endsWith('\n') ? built.text : `${built.text}\n`)
  // In `$(nokosu context)` nothing is the answer; a person would wonder.
  else if (shell().stdout.isTTY) noteEmpty("There is nothing to show. 'nokosu list' shows what is remembered.")
  if (!explain) return
  if (enabled) explainContext(built)
  else note('Memory is switched off: memory.enabled is false in the configuration.')
}

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
