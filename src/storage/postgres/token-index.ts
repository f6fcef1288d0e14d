/** The index term for a token of a scope, so that a search reads and counts only that scope. */
export function indexed(token: string, scope: number): string {
  return `${scope}:${token}`
}
