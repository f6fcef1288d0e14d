/**
 * Normalises the spelling of a service: `PG-Main`, `pg_main` and `pg main` are the same. SQL repeats this rule in each
 * database, so it only folds the letters A to Z.
 */
export function serviceKey(service: string): string {
  return service.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/[_ ]/g, '-')
}

export function isSameService(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : serviceKey(a) === serviceKey(b)
}
