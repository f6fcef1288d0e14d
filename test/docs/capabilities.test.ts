import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentPage } from '../../scripts/capabilities-table.ts'

test('the table of capabilities is what the backends say (node scripts/capabilities-table.ts)', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/storage.md'), 'utf8')
  expect(page).toContain('| postgres | yes |')
  expect(page).toBe(currentPage())
})
