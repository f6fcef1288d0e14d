import { CATEGORIES, type Category } from './categories.ts'

/** What other programs call a kind of note that Nokosu has a category for. */
const WORDS: Record<string, Category> = {
  bugfix: 'remediation',
  fix: 'remediation',
  workaround: 'remediation',
  solution: 'remediation',
  requirement: 'dependency',
  performance: 'timing',
  schedule: 'timing',
  todo: 'follow_up',
}

/** The category that a word of another program stands for; null where none fits. */
export function toCategory(word: string): Category | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return CATEGORIES.find((category) => category === plain) ?? WORDS[plain] ?? null
}
