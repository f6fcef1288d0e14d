/**
 * A service by whatever spelling: `PG-Main`, `pg_main` and `pg main` are one. The databases write the same rule in SQL, so it
 * knows only the letters A to Z.
 */
export function serviceKey(service: string): string {
  return service.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/[_ ]/g, '-')
}

export function isSameService(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : serviceKey(a) === serviceKey(b)
}
