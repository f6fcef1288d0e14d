import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findInstalled } from '../embedding/runtime-files.ts'

/** In words. A poison between sentences on other subjects still fills most of one such stretch. */
const STRETCH = 32
/** Share of the distinct words of a stretch. */
const LEAST_SHARE = 0.2
/** Letters beyond English, which the word list does not cover. */
const OTHER_LANGUAGE = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]|[^\P{L}\u0000-\u024f]/u

let words: ReadonlySet<string> | null = null

/** The words of the training notes; `train/guard/words.ts` makes the list. Empty without the model. */
function workWords(): ReadonlySet<string> {
  words ??= new Set(readList().trim().split(/\s+/))
  return words
}

function readList(): string {
  const folder = findInstalled('models/guard', 'words.txt')
  return folder === null ? '' : readFileSync(join(folder, 'words.txt'), 'utf8')
}

/**
 * Whether any part of a text is about the work of agents. The model was trained on such notes alone, and takes two thirds of a chat
 * between friends for poisons. It is not asked about text that it cannot judge.
 */
export function isAboutWork(text: string): boolean {
  if (OTHER_LANGUAGE.test(text)) return true
  const found = text.toLowerCase().match(/[a-z][a-z0-9]{2,}/g) ?? []
  for (let start = 0; start === 0 || start + STRETCH / 2 < found.length; start += STRETCH / 2) {
    const stretch = new Set(found.slice(start, start + STRETCH))
    const known = stretch.intersection(workWords()).size
    if (known >= Math.max(1, LEAST_SHARE * stretch.size)) return true
  }
  return false
}
