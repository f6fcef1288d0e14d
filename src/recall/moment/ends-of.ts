/** Of more items than these the first and the last: a long output says what matters at one of its ends. */
export function endsOf<Item>(items: readonly Item[], most: number): Item[] {
  const half = most / 2
  return items.length <= most ? [...items] : [...items.slice(0, half), ...items.slice(-half)]
}
