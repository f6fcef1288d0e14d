/** Each kind of structure that a reader would recognise. Independent of the escaping, so that it can check it. */
const IN_CONTENT: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['line break', /[\n\r\v\f\x85\u2028\u2029]/],
  ['control character', /[\p{Cc}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u],
  ['heading', /^\s*#/],
  ['list', /^\s*(?:[-*+]|\d+[.)])(?:\s|$)/],
  ['quote', /^\s*>/],
  ['rule', /^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})/],
  ['fence', /`{3,}|~{3,}/],
  ['tag', /<\/?[A-Za-z_:]|<[!?%]/],
  ['comment end', /--!?>|\]\]>/],
  ['special token', /<\||\|>(?<=<\|.*)|<<\s*\/?SYS|\[\s*\/?\s*INST\s*\]/i],
  ['marker', /\[\s*MEMORY\s*:/i],
  ['import', /(?<![A-Za-z0-9.+-])@|@\S*@|@(?![A-Za-z0-9])|&(?:#64|#x40|commat);/i],
  ['checkbox', /^\[[ xX]?\]/],
  ['forged line', /\(\s*confidence\s*:|[-*]\s*\[(?:timing|remediation)/i],
  ['message boundary', /^\s*(?:human|assistant|user|system|developer|tool)\s?:|\b(?:Human|Assistant)\s?:/i],
  ['image', /!\[/],
]

/** The kinds of structure that remain in rendered content; empty if there are none. Tests and the evaluation check the escaping with it. */
export function findStructure(content: string): string[] {
  return IN_CONTENT.filter(([, pattern]) => pattern.test(content)).map(([kind]) => kind)
}
