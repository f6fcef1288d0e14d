/** Branch names, or first parts of them, that say nothing about the work. */
const EMPTY_WORDS = new Set(
  'main master trunk develop dev head feature feat fix bugfix hotfix chore docs refactor test tests ci build release wip claude'.split(
    ' ',
  ),
)

/** Turns a branch into a query: `fix/login-redirect` becomes `login redirect`. Null if the name says nothing. */
export function branchQuery(branch: string): string | null {
  const words = branch
    // A ticket key is one word.
    .split(/[/_.\s]+|(?<![A-Z]{2})-|-(?!\d)/)
    .map((word) => word.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').trim())
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word.toLowerCase()))
  const query = words.join(' ').slice(0, MOST_CHARACTERS).toWellFormed()
  return /\p{L}/u.test(query) ? query : null
}

const MOST_CHARACTERS = 200
