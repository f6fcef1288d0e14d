/** `nokosu eval`: picks the script that measures what was asked for. */

/** Sets of questions that search is measured on. */
const SEARCH_SETS = ['own', 'locomo', 'beam', 'questions']
/** Everything else that is measured has a script of its own. */
const SCRIPTS: Record<string, () => Promise<unknown>> = {
  relations: () => import('./relations.ts'),
  guard: () => import('./guard.ts'),
  moments: () => import('./moments.ts'),
  fleet: () => import('./fleet.ts'),
  lessons: () => import('./lessons.ts'),
  month: () => import('./month.ts'),
}

const USAGE = `Usage: nokosu eval ${[...SEARCH_SETS, ...Object.keys(SCRIPTS)].join('|')} [arguments...]

own, locomo, beam and questions measure search: recall, NDCG and MRR by category with 95 % intervals, times, and precision and recall
by threshold, in every mode; with --ablate also without each ingredient. relations measures how statements are told apart, guard what
gets past it, moments whether agents see the memory that they need in time, fleet whether what one agent learned reaches the others,
lessons what is learned from tool calls that failed and later worked, month what agents are shown while they disagree for a month.

A file for questions has one JSON object a line: {"id", "memory", "answers": [queries that it answers], "not": [queries near it that
it does not answer]}. An error in a file is reported with its line and field.`

const [what = '', ...rest] = process.argv.slice(2)
const load = SEARCH_SETS.includes(what) ? () => import('./search.ts') : Object.hasOwn(SCRIPTS, what) && SCRIPTS[what]
if (!load) {
  console.error(what === '' ? USAGE : `There is no evaluation '${what}'.\n\n${USAGE}`)
  process.exit(2)
}
// The scripts read their own arguments; those that measure search also read the name of the set.
process.argv.splice(2, process.argv.length, ...(SEARCH_SETS.includes(what) ? [what, ...rest] : rest))
await load()
