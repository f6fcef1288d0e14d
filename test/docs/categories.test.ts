import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentPages } from '../../scripts/category-lists.ts'
import { ROOT } from './samples.ts'

test.each(currentPages())(
  '$page lists the categories of the table (node scripts/category-lists.ts)',
  ({ page, text }) => {
    expect(text).toContain('remediation')
    expect(readFileSync(join(ROOT, page), 'utf8')).toBe(text)
  },
)
