import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPERATIONAL_CATEGORIES } from '../model/categories.ts'
import { CATEGORY_TABLE } from '../model/category-table.ts'
import { findPackageRoot } from '../package/package-root.ts'

/** The section that teaches agents how to record memories. Empty in a program that bundles this file without the package. */
export function recordingInstructions(): string {
  const root = findPackageRoot()
  if (root === null) return ''
  const categories = OPERATIONAL_CATEGORIES.map((name) => `- \`${name}\`: ${CATEGORY_TABLE[name].about}`)
  const text = readFileSync(join(root, 'agents', 'memory-recording.md'), 'utf8')
  return text.replace('{{categories}}', categories.join('\n')).trimEnd()
}
