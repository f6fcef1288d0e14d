import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { withoutPrivate } from '../capture/private.ts'
import { underHeading } from '../transfer/note.ts'
import { type MarkdownNotes, readMarkdown } from '../transfer/read-markdown.ts'
import { type OfferOptions, offerNotes } from './offer-notes.ts'
import { readConfig } from './open-engine.ts'
import { countOf } from './output.ts'
import { shell } from './shell.ts'

/** Shows what would be stored from a Markdown text, asks, and stores it. */
export async function importMarkdown(file: string, text: string, options: OfferOptions): Promise<void> {
  const { items, leftOut } = readMarkdown(withoutPrivate(text))
  const name = nameOf(file, (await readConfig(options)).root)
  const notes = items.map(({ text, heading, line }) => ({
    text: underHeading(text, heading),
    tags: heading === null ? [] : [heading],
    anchor: `file:${name}:${line}`,
    place: `${name}:${line}`,
    line,
  }))
  const nothing = `No list item in ${name}`
  return offerNotes({ name, notes, nothing, skipped: leftOutText(leftOut), more: { leftOut } }, options)
}

/** Relative to the project's folder, so that a file has the same name wherever the command runs. */
function nameOf(file: string, root: string): string {
  if (file === '-') return 'standard input'
  const path = relative(root, resolve(shell().cwd, file))
  return path.startsWith('..') || isAbsolute(path) ? basename(file) : path.split(sep).join('/')
}

function leftOutText({ codeBlocks, tables, paragraphs, lists }: MarkdownNotes['leftOut']): string {
  const counts = [
    [codeBlocks, 'code block', 'code blocks'],
    [tables, 'table', 'tables'],
    [lists, 'quoted or HTML list', 'quoted or HTML lists'],
    [paragraphs, 'paragraph', 'paragraphs'],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, one, many]) => countOf(count, one, many))
  return parts.length === 0 ? '' : ` Skipped (not list items): ${parts.join(', ')}.`
}
