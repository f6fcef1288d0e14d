/** The beginning of a transcript line: the speaker, optionally with a time. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2})(?: \([^)]{1,60}\))?: /u

/** The speaker of a transcript line; null if it does not begin with one. */
export function speakerOf(line: string): string | null {
  return SPEAKER.exec(line)?.[1] ?? null
}

/** A transcript line without its speaker and time. */
export function saidIn(line: string): string {
  return line.replace(SPEAKER, '') || line
}
