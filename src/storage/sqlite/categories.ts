import { CATEGORY_NAMES, isFading } from '../../model/categories.ts'
import type { Connection } from './connection.ts'

interface CategoryRow {
  name: string
  stored_as: string
  decays: number
}

const CATEGORY_ROWS = [...CATEGORY_NAMES].map(([name, category]): CategoryRow => {
  return { name, stored_as: category, decays: isFading({ category }) ? 1 : 0 }
})

/** Writes the categories for the triggers to read; those of a newer version stay. */
export function writeCategories(connection: Connection): void {
  for (const { name, stored_as, decays } of missingCategories(connection)) {
    connection.run('INSERT OR REPLACE INTO memory_categories VALUES (?, ?, ?)', name, stored_as, decays)
  }
}

/** Keeps unknown categories in an older tool's rows; they do not fade. */
export function keepCategories(connection: Connection): void {
  if (connection.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'memories'") === undefined) return
  connection.exec(`INSERT OR IGNORE INTO memory_categories
    SELECT DISTINCT category, category, 0 FROM memories WHERE typeof(category) = 'text'`)
}

export function missingCategories(connection: Connection): CategoryRow[] {
  const stored = new Map(connection.all<CategoryRow>('SELECT * FROM memory_categories').map((row) => [row.name, row]))
  return CATEGORY_ROWS.filter(({ name, stored_as, decays }) => {
    const known = stored.get(name)
    return known?.stored_as !== stored_as || known.decays !== decays
  })
}
