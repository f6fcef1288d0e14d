import type { Command } from 'commander'
import { CONTEXT_FORMATS, type Context, type ContextFormat } from '../../engine/context.ts'
import { escapeTerminal } from '../../guard/escape.ts'
import { addIdentifierOptions, type IdentifierOptions, readIdentifiers } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, printJson, write } from '../output.ts'
import { parseNumber, parseWhole } from '../parse-flags.ts'

interface Options extends GlobalOptions, IdentifierOptions {
  format?: ContextFormat
  query?: string
  budget?: number
  threshold?: number
  shownTo?: string
  explain?: boolean
}

/** `nokosu context` */
export function configure(command: Command): void {
  addIdentifierOptions(command)
    .option('--format <format>', `${CONTEXT_FORMATS.join(', ')} (default: operational)`)
    .option('--query <text>', 'the task at hand, for the query format')
    .option('--budget <tokens>', 'tokens of the whole block (default: the configuration’s, 2000)', parseWhole)
    .option('--threshold <number>', 'the lowest score, for the query format (default: 0.7)', parseNumber)
    .option('--shown-to <session>', 'record that this session is shown the block; without it you only look')
    .option('--explain', 'say on standard error what was left out, and why')
    .addHelpText(
      'after',
      `
Prints the block of memories that an agent is shown, and nothing when there is nothing to say.

Formats:
  operational  for a system prompt: surest first, grouped by service
  workflow     ## MEMORY for coder and reviewer prompts: of the task, its section and its project
  file         a Markdown list for .claude/memory/MEMORY.md: the 50 newest of an agent in a project
  query        what fits the task at hand (--query)

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
  const built = await withEngine({ ...options, json: true }, shownTo === undefined ? 'read' : 'write', (engine) => {
    enabled = engine.settings.enabled
    return engine.context({
      identifiers: readIdentifiers(options),
      ...(format === undefined ? {} : { format }),
      ...(query === undefined ? {} : { query }),
      ...(budget === undefined ? {} : { budget }),
      ...(threshold === undefined ? {} : { threshold }),
      ...(shownTo === undefined ? {} : { session: shownTo }),
    })
  })
  if (options.json) return printJson(built)
  if (built.text !== '') await write(built.text.endsWith('\n') ? built.text : `${built.text}\n`)
  if (!explain) return
  if (enabled) explainContext(built)
  else note('Memory is switched off: memory.enabled is false in the configuration.')
}

function explainContext({ included, omitted, available, tokens, memories }: Context): void {
  note(`${included.length} of ${countOf(available, 'memory', 'memories')} shown, ~${tokens} tokens.`)
  for (const memory of memories) {
    const flags = Array.isArray(memory.metadata.flags)
      ? `, reads as a command: ${memory.metadata.flags.join(', ')}`
      : ''
    note(
      escapeTerminal(
        `shown   ${memory.id}  confidence ${memory.confidence}, recalled ${memory.recallCount} times${flags}`,
      ),
    )
  }
  for (const { id, reason } of omitted) note(escapeTerminal(`left out ${id}  ${reason}`))
}
