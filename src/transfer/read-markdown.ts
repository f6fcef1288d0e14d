import { lexer, type Token, type Tokens } from 'marked'
import { toTag } from './note.ts'

/** A list item, as one observation. */
export interface MarkdownItem {
  /** Counted from 1. */
  line: number
  /** On one line. A nested item begins with the words of its parent, one that depends on the item above, with the words of that item. */
  text: string
  /** The nearest heading above, as a tag. */
  heading: string | null
}

export interface MarkdownNotes {
  items: MarkdownItem[]
  /** What was skipped, by kind. `lists`: quoted lists, and those in HTML. */
  leftOut: { codeBlocks: number; tables: number; paragraphs: number; lists: number }
}

/** An item that says nothing without the one above it: "Two approvals for payments", "One approval elsewhere". */
const LEANS =
  /\b(?:elsewhere|otherwise|(?:every|any)where else|(?:the|all|any) (?:others?|rest)|the (?:former|latter)|(?:as|see) above)\b|^(?:the same|but|and|also|then|afterwards|after (?:that|this)|instead|it|they)\b/i

/** What `nokosu run` and `nokosu inject` wrote there came from the store. */
const OWN_BLOCK = /^<!-- nokosu:begin -->[\s\S]*?^<!-- nokosu:end [0-9a-f]{16} -->/gm
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---(?=\r?\n|$)/
const COMMENT = /<!--[\s\S]*?-->/g

export function readMarkdown(text: string): MarkdownNotes {
  const notes: MarkdownNotes = { items: [], leftOut: { codeBlocks: 0, tables: 0, paragraphs: 0, lists: 0 } }
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(FRONT_MATTER, blank)
    .replace(OWN_BLOCK, blank)
  let heading: string | null = null
  eachToken(lexer(plain), 1, (token, line) => {
    if (token.type === 'heading') heading = toTag(toPlain((token as Tokens.Heading).text))
    else if (token.type === 'list') readList(token as Tokens.List, line, [], heading, notes)
    else leaveOut(token, notes)
  })
  return notes
}

/** Replaced by as many empty lines, so that later lines keep their numbers. */
function blank(text: string): string {
  return text.replace(/[^\n]+/g, '')
}

/** Tokens are contiguous, so counting line breaks gives each token's line. */
function eachToken<Each extends Token>(
  tokens: readonly Each[],
  first: number,
  visit: (token: Each, line: number) => void,
): void {
  let line = first
  for (const token of tokens) {
    visit(token, line)
    line += token.raw.split('\n').length - 1
  }
}

function readList(
  list: Tokens.List,
  first: number,
  parents: readonly string[],
  heading: string | null,
  notes: MarkdownNotes,
): void {
  let above = ''
  eachToken(list.items, first, (item, line) => {
    const own = wordsOf(item)
    const words = LEANS.test(own) && above !== '' ? `${above.replace(/[.;]$/, '')}; ${own}` : own
    above = own
    // A parent such as "Tests:" only introduces what is below it.
    const introduces = words.endsWith(':') && item.tokens.some(({ type }) => type === 'list')
    if (words !== '' && !introduces) notes.items.push({ line, text: [...parents, words].join(': '), heading })
    const path = words === '' ? parents : [...parents, words.replace(/[:.]$/, '')]
    eachToken(item.tokens, line, (token, at) => {
      if (token.type === 'list') readList(token as Tokens.List, at, path, heading, notes)
      else if (token.type !== 'text' && token.type !== 'paragraph') leaveOut(token, notes)
    })
  })
}

function wordsOf(item: Tokens.ListItem): string {
  const own = item.tokens.filter(({ type }) => type === 'text' || type === 'paragraph')
  return toPlain(own.map((token) => (token as Tokens.Text).text).join(' '))
}

/** One line. Code stays marked as code; bold becomes plain text. */
function toPlain(markdown: string): string {
  return markdown.replace(COMMENT, ' ').replaceAll('**', '').replace(/\s+/g, ' ').trim()
}

/** Quoted lists and HTML lists are not read as items, and the report says so. */
function leaveOut(token: Token, { leftOut }: MarkdownNotes): void {
  const { type, raw } = token
  const quoted =
    type === 'blockquote' ? (token as Tokens.Blockquote).tokens.filter(({ type }) => type === 'list').length : 0
  const html = type === 'html' ? (raw.replace(COMMENT, '').match(/<(?:ul|ol)\b/gi)?.length ?? 0) : 0
  if (quoted + html > 0) leftOut.lists += quoted + html
  else if (type === 'code') leftOut.codeBlocks++
  else if (type === 'table') leftOut.tables++
  else if (type === 'paragraph' || type === 'blockquote') leftOut.paragraphs++
  else if (type === 'html' && raw.replace(COMMENT, '').trim() !== '') leftOut.paragraphs++
}
