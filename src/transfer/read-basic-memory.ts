import { toCategory } from '../model/category-words.ts'
import { readFrontMatter } from './front-matter.ts'
import { type Note, toTag, underHeading } from './note.ts'

/** `- [category] text`, but not a checkbox or a link. */
const OBSERVATION = /^\s*[-*+]\s+\[([^[\]()]{1,60})\](?![([])\s+(\S.*)$/
const CHECKBOX = /^[ xX/-]$/
const HASHTAG = /(?<=\s)#(\p{L}[\p{L}\p{N}_/-]*)/gu
/** At the end, or before the context in parentheses. Elsewhere a tag is a word of the sentence. */
const LAST_TAGS = /(?:\s+#\p{L}[\p{L}\p{N}_/-]*)+(?=\s*(?:\([^()]*\))?\s*$)/u
const FENCE = /^\s*(?:```|~~~)/

/** The observations of a basic-memory note. `name` is the path of its file. */
export function readBasicMemory(name: string, text: string): Note[] {
  const { fields, body, firstLine } = readFrontMatter(text)
  const title = typeof fields.title === 'string' ? fields.title : (/^#\s+(.+)$/m.exec(body)?.[1] ?? null)
  const shared = tagsOf(fields.tags)
  let isCode = false
  return body.split(/\r?\n/).flatMap((raw, i) => {
    if (FENCE.test(raw)) isCode = !isCode
    const [, label = '', said = ''] = OBSERVATION.exec(raw) ?? []
    if (isCode || said === '' || CHECKBOX.test(label)) return []
    const own = [...` ${said}`.matchAll(HASHTAG)].map(([, tag]) => tag!)
    const words = said.replace(LAST_TAGS, '').replace(/\s+/g, ' ').trim()
    if (words === '') return []
    const line = firstLine + i
    const tags = [label, ...own, ...shared].flatMap((tag) => toTag(tag) ?? [])
    const category = toCategory(label)
    return {
      text: underHeading(words, title),
      ...{ line, place: `${name}:${line}`, anchor: `file:${name}:${line}`, tags: [...new Set(tags)] },
      ...(category === null ? {} : { category }),
    }
  })
}

function tagsOf(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  return all.filter((tag): tag is string => typeof tag === 'string')
}
