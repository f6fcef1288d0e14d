/** Writes the categories into the documents that list them, from the table itself: `node scripts/category-lists.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATEGORIES, describeCategories, OPERATIONAL_CATEGORIES, RECORDED_CATEGORIES } from '../src/model/categories.ts'
import { CATEGORY_TABLE } from '../src/model/category-table.ts'

const ROOT = join(import.meta.dirname, '..')
const WIDTH = 144

function table(): string {
  const lines = CATEGORIES.map((name) => {
    const entry = CATEGORY_TABLE[name]
    const aliases = 'aliases' in entry ? entry.aliases.map((alias) => `\`${alias}\``).join(', ') : ''
    return [`\`${name}\``, entry.kind, entry.about, entry.decays ? 'yes' : 'no', aliases]
  })
  const head = ['category', 'kind', 'tells', 'fades', 'also written']
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** A list item, wrapped like the documents. */
function item(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${last === undefined ? '-' : ' '} ${word}`)
  }
  return `${lines.join('\n')}\n`
}

/** By page: each place, and its text. */
const LISTS: Record<string, { place: RegExp; text: () => string }[]> = {
  'docs/memory-usage.md': [
    { place: /(?<=<!-- categories: .*? -->\n).*?(?=<!-- end -->)/s, text: table },
    { place: /(?<=Unknown category "\w+"; valid are ).*?(?=\. \(line)/, text: () => OPERATIONAL_CATEGORIES.join(', ') },
  ],
  'plugin/commands/remember.md': [
    {
      place: /^- CATEGORY is .*?\n(?=- )/ms,
      text: () => item(`CATEGORY is ${describeCategories(RECORDED_CATEGORIES, (name) => `\`${name}\``)}.`),
    },
  ],
}

/** The pages with the current lists. */
export function currentPages(): { page: string; text: string }[] {
  return Object.entries(LISTS).map(([page, places]) => ({
    page,
    text: places.reduce(
      (text, { place, text: now }) => text.replace(place, now),
      readFileSync(join(ROOT, page), 'utf8'),
    ),
  }))
}

if (process.argv[1] === import.meta.filename) {
  for (const { page, text } of currentPages()) writeFileSync(join(ROOT, page), text)
}
