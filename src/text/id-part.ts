/** Whether this is the beginning or the end of an id, however it is written: large or small. */
export function isPartOf(part: string, id: string): boolean {
  const [short, whole] = [part.toLowerCase(), id.toLowerCase()]
  return whole.startsWith(short) || whole.endsWith(short)
}
