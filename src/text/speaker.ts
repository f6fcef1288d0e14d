/** How a line of a transcript begins: who says it, perhaps with when. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2})(?: \([^)]{1,60}\))?: /u

/** Who says a line of a transcript; null when it does not begin so. */
export function speakerOf(line: string): string | null {
  return SPEAKER.exec(line)?.[1] ?? null
}

/** What a line of a transcript says, without who says it and when. */
export function saidIn(line: string): string {
  return line.replace(SPEAKER, '') || line
}
