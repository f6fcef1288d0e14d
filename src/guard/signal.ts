/** One way in which a text addresses its reader instead of describing something. */
export interface Signal {
  /** Its effect on the reader; `explain-flags.ts` has it in words. */
  kind: string
  /** 2 is enough alone. 1 also occurs in ordinary notes (`responds with 404`) and needs a second signal. */
  weight: 1 | 2
  pattern: RegExp
  /** Substrings of which a matching text contains one. They are short and shared, and spare most texts the whole pattern. */
  needs: readonly RegExp[]
}

/** Patterns ignore case, unless given as a RegExp. */
type Pattern = string | RegExp

/** By kind: patterns that suffice alone, and hints that need a second signal. */
type Patterns = Readonly<Record<string, { enough?: readonly Pattern[]; hints?: readonly Pattern[] }>>

/**
 * Builds the signals of a table. In a pattern `§` stands for `gap`, what may be skipped inside one sentence. Required `parts` are
 * tested first: compiling and running every pattern for the first note costs more than the rest of the guard.
 */
export function signalTable(gap: string, parts: readonly string[], patterns: Patterns): Signal[] {
  const known = parts.map((part) => ({
    group: part.startsWith('(?:') ? part : `(?:${part})`,
    pattern: new RegExp(part, 'i'),
  }))
  const needsOf = (source: string) =>
    hasAlternatives(source) ? [] : known.filter(({ group }) => isRequired(group, source)).map(({ pattern }) => pattern)
  const signal = (kind: string, weight: Signal['weight'], given: Pattern): Signal =>
    typeof given === 'string'
      ? { kind, weight, pattern: new RegExp(given.replaceAll('§', gap), 'i'), needs: needsOf(given) }
      : { kind, weight, pattern: given, needs: [] }
  return Object.entries(patterns).flatMap(([kind, { enough = [], hints = [] }]) => [
    ...enough.map((pattern) => signal(kind, 2, pattern)),
    ...hints.map((pattern) => signal(kind, 1, pattern)),
  ])
}

/** The signals found in a text. */
export function met(signals: readonly Signal[], text: string): Signal[] {
  const found = new Map<RegExp, boolean>()
  const has = (part: RegExp): boolean => {
    const known = found.get(part) ?? part.test(text)
    found.set(part, known)
    return known
  }
  return signals.filter(({ pattern, needs }) => needs.every(has) && pattern.test(text))
}

/** It is outside all groups and not optional. */
function isRequired(group: string, source: string): boolean {
  const at = source.indexOf(group)
  return at >= 0 && depthAt(source, at) === 0 && !/^[?*{]/.test(source.slice(at + group.length))
}

function hasAlternatives(source: string): boolean {
  for (let at = source.indexOf('|'); at >= 0; at = source.indexOf('|', at + 1)) {
    if (depthAt(source, at) === 0 && source[at - 1] !== '\\') return true
  }
  return false
}

/** The nesting depth of groups and classes at a position. */
function depthAt(source: string, place: number): number {
  const opened = source
    .slice(0, place)
    .replace(/\\./g, '')
    .replace(/\[[^\]]*\]/g, '')
  return opened.split(/[([]/).length - opened.split(')').length
}
