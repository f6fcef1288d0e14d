/** The first and last of a long list: the important part of a long output is at one of its ends. */
export function endsOf<Item>(items: readonly Item[], most: number): Item[] {
  const half = most / 2
  return items.length <= most ? [...items] : [...items.slice(0, half), ...items.slice(-half)]
}
