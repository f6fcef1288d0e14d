/** Statements as agents and people record them, written one by one for the relation model, each about something else. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const GROUPS = join(import.meta.dirname, '..', 'train', 'relate', 'groups')

interface Group {
  a: string
  contra: string[]
}

/** This many distinct statements from all files, each with a contradiction. */
export function sayings(count: number): { text: string; contrary: string }[] {
  const groups = readdirSync(GROUPS).flatMap((file) =>
    readFileSync(join(GROUPS, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Group),
  )
  const all = [...new Map(groups.filter(({ contra }) => contra.length > 0).map((group) => [group.a, group])).values()]
  const step = Math.floor(all.length / count)
  if (step === 0) throw new Error(`only ${all.length} statements`)
  return Array.from({ length: count }, (_, i) => ({ text: all[i * step]!.a, contrary: all[i * step]!.contra[0]! }))
}
