import { LIMITS } from '../../model/limits.ts'
import type { SearchResult, SearchResults } from '../../model/provider.ts'
import { SEARCH_MODES } from '../../model/schema.ts'
import { roundDown } from '../../text/round-down.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { claimFlags, explainUnknownNames, whose } from '../explain-empty.ts'
import { explainMissingVectors } from '../explain-vectors.ts'
import { place, stateOf } from '../format-memory.ts'
import { type ClaimOptions, readClaim } from '../identifiers.ts'
import { readSelection, SELECTION_OPTIONS } from '../memory-options.ts'
import { withEngine } from '../open-engine.ts'
import { fitTo, note, noteEmpty, paint, printJson, printLine } from '../output.ts'
import { number, oneOf, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'
import { shorten } from '../short-id.ts'

export const { configure } = defineCommand({
  arguments: [['<words...>', 'what to look for; quotes are not needed']],
  identifiers: 'claim',
  options: {
    ...SELECTION_OPTIONS,
    '--mode <mode>': ['by meaning and word, or by one of them (default: hybrid)', oneOf(SEARCH_MODES)],
    '-n, --limit <number>': ['at most this many, up to 100 (default: 10)', whole(1, LIMITS.searchLimit)],
    '--threshold <number>': ['the minimum score, 0 to 1 (default: 0.7)', number(0, 1)],
    '--order <order>': [
      'the nearest layer first, or the best score (default: precedence)',
      oneOf(['precedence', 'relevance']),
    ],
    '--explain': 'explain each score',
  },
  help: `
A search reads what the identifiers give access to: --project opens the project and the team, org and company above it, and
--agent '*' also what any agent recorded in the project.

Examples:
  nokosu search slow start
  nokosu search --project shop --agent '*' slow start
  nokosu search --project shop --mode keyword --filter 'cycle>2' --explain ECONNRESET`,
  async run(options, words) {
    const { mode, limit, threshold, order } = options
    const query = words.join(' ')
    await withEngine(options, 'read', async (engine, config) => {
      const claim = readClaim(options, config)
      const found = await engine.search({
        ...{ query, ...claim, ...readSelection(options), explain: true },
        ...withoutUndefined({ mode, limit, threshold, order }),
      })
      const missing = mode === 'keyword' || shell().storeMissing ? null : await explainMissingVectors(engine, found)
      const shown = options.explain ? found : withoutExplanation(found)
      if (options.json) await printJson(shown)
      else {
        await print(shown)
        if (shown.results.length === 0 && shown.closest === undefined)
          noteEmpty(
            (await explainUnknownNames(engine, options, config)) ??
              (await describeNothing(options, whose(claim), query)),
          )
      }
      if (missing !== null) note(missing)
    })
  },
})

function withoutExplanation({ corrected: _, closest, ...found }: SearchResults): SearchResults {
  const plain = (results: SearchResult[]) => results.map(({ explanation: _, ...result }) => result)
  return { ...found, results: plain(found.results), ...(closest === undefined ? {} : { closest: plain(closest) }) }
}

async function print({ results, totalCount, corrected, closest = [] }: SearchResults): Promise<void> {
  if (closest.length > 0) await printLine('No confident match. Closest:')
  for (const result of [...results, ...closest]) await printLine(formatResult(result))
  if (results.length > 0 && totalCount > results.length) note(`${results.length} of ${totalCount}; --limit shows more.`)
  for (const { id, by } of corrected ?? []) note(`Left out: ${id}, corrected by ${by}.`)
}

const LOWER = 0.5

async function describeNothing(
  options: ClaimOptions & { threshold?: number },
  place: string,
  query: string,
): Promise<string> {
  const { isVagueQuery } = await import('../../engine/search.ts')
  const little = isVagueQuery(query)
  const nothing = `No memory in ${place} matches '${query}'${little ? ', which is a vague query' : ''}.`
  const flags = claimFlags(options)
  if (little || (options.threshold ?? 1) <= LOWER) return `${nothing} All of them:\n  ${commandLine('list', ...flags)}`
  const again = commandLine('search', ...flags, '--threshold', String(LOWER), query)
  return `${nothing} A lower threshold finds more:\n  ${again}`
}

function formatResult({ memory, score, explanation, correctedBy, disputed }: SearchResult): string {
  const about = [
    correctedBy === undefined ? null : `corrected by ${shownId(correctedBy)}`,
    stateOf(memory),
    place(memory),
    memory.category,
    memory.service,
    shownId(memory.id),
  ].filter((part) => part !== null)
  const lines = [
    `${paint('green', roundDown(score))}  ${hang(memory.content)}`,
    `      ${paint('dim', hang(about.join(' · ')))}`,
    ...(disputed === undefined ? [] : [`      ${paint('yellow', hang(disputed))}`]),
  ]
  if (explanation) {
    const { semantic, keyword, terms, collapsed } = explanation
    const words = terms.map(({ term, weight }) => `${term} ${weight.toFixed(2)}`).join(', ')
    const parts = [
      `meaning ${semantic === null ? '-' : roundDown(semantic)}`,
      `words ${roundDown(keyword)}${words === '' ? '' : ` (${words})`}`,
      ...(collapsed.length === 0 ? [] : [`same as ${collapsed.join(', ')}`]),
    ]
    lines.push(`      ${paint('dim', hang(parts.join(' · ')))}`)
  }
  return lines.join('\n')
}

function shownId(id: string): string {
  return shell().stdout.isTTY ? shorten(id) : id
}

function hang(text: string): string {
  const { stdout } = shell()
  const indent = ' '.repeat(6)
  return stdout.isTTY ? fitTo(stdout, text, indent) : text.replaceAll('\n', `\n${indent}`)
}
