/** The words of three letters or more, in lower case, without abbreviations, code, paths and numbers. */
export function plainWords(text: string): string[] {
  return text
    .replace(/`[^`]*`/g, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^[("'\u2018\u201c[]+|(?:['\u2019]s)?[)"'\u2019\u201d\],.:;!?\u3002]*$/g, ''))
    .filter((word) => /^\p{L}\p{Ll}{2,}$/u.test(word))
    .map((word) => word.toLowerCase())
}
