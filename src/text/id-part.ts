/** Whether this is the beginning or end of an id, ignoring case. */
export function isPartOf(part: string, id: string): boolean {
  const [short, whole] = [part.toLowerCase(), id.toLowerCase()]
  return whole.startsWith(short) || whole.endsWith(short)
}
