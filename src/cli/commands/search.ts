import type { Command } from 'commander'
import type { SearchResult } from '../../model/provider.ts'
import { SEARCH_MODES, type SearchMode } from '../../model/schema.ts'
import { place, stateOf } from '../format-memory.ts'
import { readClaim } from '../identifiers.ts'
import { addSelectionOptions, readSelection, type SelectionOptions } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine } from '../output.ts'
import { parseNumber, parseWhole } from '../parse-flags.ts'

interface Options extends GlobalOptions, SelectionOptions {
  mode?: SearchMode
  limit?: number
  threshold?: number
  order?: 'precedence' | 'relevance'
  explain?: boolean
}

/** `nokosu search` */
export function configure(command: Command): void {
  addSelectionOptions(command.argument('<query>', 'what to look for'))
    .option('--mode <mode>', `${SEARCH_MODES.join(', ')} (default: hybrid)`)
    .option('--limit <number>', 'at most this many, up to 100 (default: 10)', parseWhole)
    .option('--threshold <number>', 'the lowest score, 0 to 1 (default: 0.7)', parseNumber)
    .option('--order <order>', 'precedence (nearest layer first) or relevance (default: precedence)')
    .option('--explain', 'explain each score')
    .addHelpText(
      'after',
      `
A search reads what the identifiers may see: --project opens the project and the team, org and company above it, and with
--agent '*' also what any agent left in the project.

Examples:
  nokosu search "slow start"
  nokosu search --project shop --agent '*' "slow start"
  nokosu search --project shop --mode keyword --filter 'cycle>2' --explain ECONNRESET`,
    )
    .action(search)
}

async function search(query: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { mode, limit, threshold, order, explain } = options
  const found = await withEngine(options, 'read', (engine, config) =>
    engine.search({
      query,
      ...readClaim(options, config),
      ...readSelection(options),
      ...(mode === undefined ? {} : { mode }),
      ...(limit === undefined ? {} : { limit }),
      ...(threshold === undefined ? {} : { threshold }),
      ...(order === undefined ? {} : { order }),
      ...(explain ? { explain } : {}),
    }),
  )
  if (options.json) return printJson(found)
  for (const result of found.results) await printLine(formatResult(result))
  if (found.results.length === 0)
    note(`Nothing found in ${found.searchedLayers.join(', ')}. A lower --threshold finds more.`)
  else if (found.totalCount > found.results.length)
    note(`${found.results.length} of ${found.totalCount}; --limit shows more.`)
}

function formatResult({ memory, score, explanation }: SearchResult): string {
  const about = [stateOf(memory), place(memory), memory.category, memory.service, memory.id].filter(
    (part) => part !== null,
  )
  const lines = [
    `${paint('green', score.toFixed(2))}  ${memory.content.split('\n').join('\n      ')}`,
    `      ${paint('dim', about.join(' · '))}`,
  ]
  if (explanation) {
    const { semantic, keyword, terms, collapsed } = explanation
    const words = terms.map(({ term, weight }) => `${term} ${weight.toFixed(2)}`).join(', ')
    const parts = [
      `meaning ${semantic === null ? '-' : semantic.toFixed(2)}`,
      `words ${keyword.toFixed(2)}${words === '' ? '' : ` (${words})`}`,
      ...(collapsed.length === 0 ? [] : [`same as ${collapsed.join(', ')}`]),
    ]
    lines.push(`      ${paint('dim', parts.join(' · '))}`)
  }
  return lines.join('\n')
}
