/** One way in which a text addresses its reader instead of describing something. */
export interface Signal {
  reason: string
  /** 2 is enough alone. 1 also occurs in ordinary notes (`responds with 404`) and needs a second signal. */
  weight: 1 | 2
  pattern: RegExp
  /** Parts of the pattern that a text must have somewhere: they are small and shared, and spare most texts the whole. */
  needs: readonly RegExp[]
}

export type SignalMaker = (reason: string, weight: 1 | 2, source: string, flags?: string) => Signal

/**
 * Makes signals. `gap` stands in a source for what it may skip inside one sentence. Of `parts` those are asked before the pattern that
 * it cannot do without: compiling and running all patterns for a first note costs more than everything else in the guard.
 */
export function signalMaker(mark: string, gap: string, parts: readonly string[]): SignalMaker {
  const known = parts.map((part) => ({
    group: part.startsWith('(?:') ? part : `(?:${part})`,
    pattern: new RegExp(part, 'i'),
  }))
  return (reason, weight, source, flags = 'i') => ({
    reason,
    weight,
    pattern: new RegExp(source.replaceAll(mark, gap), flags),
    needs: hasAlternatives(source)
      ? []
      : known.filter(({ group }) => isRequired(group, source)).map(({ pattern }) => pattern),
  })
}

/** The signals that a text has. */
export function met(signals: readonly Signal[], text: string): Signal[] {
  const found = new Map<RegExp, boolean>()
  const has = (part: RegExp): boolean => {
    const known = found.get(part) ?? part.test(text)
    found.set(part, known)
    return known
  }
  return signals.filter(({ pattern, needs }) => needs.every(has) && pattern.test(text))
}

/** Stands outside all groups, and not as something that may be left out. */
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

/** How many groups and classes are open at a place. */
function depthAt(source: string, place: number): number {
  const opened = source
    .slice(0, place)
    .replace(/\\./g, '')
    .replace(/\[[^\]]*\]/g, '')
  return opened.split(/[([]/).length - opened.split(')').length
}
