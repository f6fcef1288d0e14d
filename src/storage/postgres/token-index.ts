/** A token of a scope as the index knows it, so that what a search reads and counts is the scope's own. */
export function indexed(token: string, scope: number): string {
  return `${scope}:${token}`
}
