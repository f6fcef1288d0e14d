import { CATEGORIES, type Category } from './categories.ts'

/** Words that other programs use for kinds of notes, with the matching category. */
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

/** The category for a word from another program; null if none fits. */
export function toCategory(word: string): Category | null {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return CATEGORIES.find((category) => category === plain) ?? WORDS[plain] ?? null
}
