import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import type { GlobalOptions } from '../open-engine.ts'
import { runScript } from '../run-script.ts'

/** Sets of questions that search is measured on. */
const SEARCH_SETS = ['own', 'locomo', 'beam', 'questions']
/** Everything else that is measured has a script of its own. */
const OTHERS = ['relations', 'guard']

/** `nokosu eval` */
export function configure(command: Command): void {
  command
    .argument('<what>', [...SEARCH_SETS, ...OTHERS].join(', '))
    .argument('[arguments...]', 'passed on to the script in eval/')
    .allowUnknownOption()
    .addHelpText(
      'after',
      `
own, locomo, beam and questions measure search: recall, NDCG and MRR by category with 95 % intervals, times, and precision and recall by
threshold, in every mode; with --ablate also without each ingredient. relations measures how statements are told apart, guard what
gets past it.

A file for questions has one JSON object a line: {"id", "memory", "answers": [queries that it answers], "not": [queries near it that
it does not answer]}. What is wrong with a file is said with its line and its field.

Examples:
  nokosu eval own
  nokosu eval locomo --path locomo10.json --form threads --ablate --svg locomo.svg
  nokosu eval questions --path questions.jsonl --json
  nokosu eval relations pairs.jsonl`,
    )
    .action(evaluate)
}

async function evaluate(what: string, args: string[], _: unknown, command: Command): Promise<void> {
  const { json } = command.optsWithGlobals<GlobalOptions>()
  if (SEARCH_SETS.includes(what)) {
    return runScript(['eval', 'search.ts'], [what, ...args, ...(json ? ['--json'] : [])], 'evaluations')
  }
  if (OTHERS.includes(what)) return runScript(['eval', `${what}.ts`], args, 'evaluations')
  throw new MemoryError(
    'INVALID_INPUT',
    `There is no evaluation '${what}': it is one of ${[...SEARCH_SETS, ...OTHERS].join(', ')}.`,
    {
      details: { field: 'what' },
    },
  )
}
