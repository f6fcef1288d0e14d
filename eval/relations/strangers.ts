import type { StatementPair } from '../../src/lifecycle/relate/relate.ts'

export const NEIGHBOURS = 10
export const STRANGERS = 50

/** Statements with their nearest unpaired neighbours, as an admission compares them. They are rarely related. */
export function nearestStrangers(cases: readonly StatementPair[]): StatementPair[] {
  const parents = new Map<string, string>()
  const root = (text: string): string => {
    const parent = parents.get(text) ?? text
    return parent === text ? text : root(parent)
  }
  for (const { a, b } of cases) parents.set(root(a.text), root(b.text))
  const all = [...new Map(cases.flatMap(({ a, b }) => [a, b]).map((one) => [one.text, one])).values()]
  const step = Math.max(1, Math.floor(all.length / STRANGERS))
  return all
    .filter((_, i) => i % step === 0)
    .slice(0, STRANGERS)
    .flatMap((a) =>
      all
        .filter((b) => root(a.text) !== root(b.text))
        .map((b) => ({ a, b, cosine: a.vector!.reduce((sum, value, i) => sum + value * b.vector![i]!, 0) }))
        .sort((x, y) => y.cosine - x.cosine)
        .slice(0, NEIGHBOURS),
    )
}
