import type { Tally } from '../tally.ts'

export interface TallyRows {
  categories: (Tally['categories'][number] & { held: number })[]
  services: Tally['services']
  projects: Tally['projects']
  days: Tally['days']
}

export function toTally({ categories, ...rows }: TallyRows): Tally {
  const sum = (key: 'memories' | 'visible' | 'held') => categories.reduce((total, row) => total + row[key], 0)
  return {
    memories: sum('memories'),
    visible: sum('visible'),
    held: sum('held'),
    categories: categories.map(({ held: _, ...row }) => row),
    ...rows,
  }
}
