import { WORK_WORDS } from './work-words.ts'

/** In words. A poison between sentences about something else is still most of one such stretch. */
const STRETCH = 32
/** Share of the different words of a stretch. */
const LEAST_SHARE = 0.2
/** Letters beyond English: the list of words does not reach there. */
const OTHER_LANGUAGE = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]|[^\P{L}\u0000-\u024f]/u

/**
 * Is a text, somewhere, about what agents work on? The model was trained on such notes alone, and takes two thirds of a chat between
 * friends for poisons. What it cannot judge it is not asked about.
 */
export function isAboutWork(text: string): boolean {
  if (OTHER_LANGUAGE.test(text)) return true
  const words = text.toLowerCase().match(/[a-z][a-z0-9]{2,}/g) ?? []
  for (let start = 0; start === 0 || start + STRETCH / 2 < words.length; start += STRETCH / 2) {
    const stretch = new Set(words.slice(start, start + STRETCH))
    let known = 0
    for (const word of stretch) if (WORK_WORDS.has(word)) known++
    if (known >= Math.max(1, LEAST_SHARE * stretch.size)) return true
  }
  return false
}
