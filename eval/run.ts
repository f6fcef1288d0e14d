/** `nokosu eval`: selects the script for the requested measurement. */

/** Question sets for search. */
const SEARCH_SETS = ['own', 'projects', 'languages', 'locomo', 'beam', 'questions']
/** Every other measurement has its own script. */
const SCRIPTS: Record<string, () => Promise<unknown>> = {
  relations: () => import('./relations.ts'),
  guard: () => import('./guard.ts'),
  moments: () => import('./moments.ts'),
  fleet: () => import('./fleet.ts'),
  lessons: () => import('./lessons.ts'),
  month: () => import('./month.ts'),
  overlap: () => import('./overlap.ts'),
}

const USAGE = `Usage: nokosu eval ${[...SEARCH_SETS, ...Object.keys(SCRIPTS)].join('|')} [arguments...]

--data PATH names the data, --json prints what was found for programs. Every figure has a 95 % interval, and what a model was trained on,
or nearly, is not counted.

own, projects, languages, locomo, beam and questions measure search as a program meets it: through guard, admission and engine, with ten
results; with --ablate also without each ingredient. relations measures how statements are told apart, guard what gets past it, moments
whether agents see the memory that they need in time, lessons what is learned from tool calls that failed and later worked, month what
agents are shown while they disagree for a month, fleet whether memory helps: what one agent learned, shown to the others. overlap tells
which items of a set a model was trained on.

A file for questions has one JSON object a line: {"id", "memory", "answers": [queries that it answers], "not": [queries near it that
it does not answer]}. An error in a file is reported with its line and field.`

const [what = '', ...rest] = process.argv.slice(2)
const load = SEARCH_SETS.includes(what) ? () => import('./search.ts') : Object.hasOwn(SCRIPTS, what) && SCRIPTS[what]
if (!load) {
  console.error(what === '' ? USAGE : `There is no evaluation '${what}'.\n\n${USAGE}`)
  process.exit(2)
}
// The scripts parse their own arguments; the search script also reads the name of the set.
process.argv.splice(2, process.argv.length, ...(SEARCH_SETS.includes(what) ? [what, ...rest] : rest))
await load()
