/**
 * Checks that a rendered memory stays one item of one list, with a third-party Markdown parser that knows nothing of our escaping. The same
 * memory with plain words is the reference: the blocks must be equal, and the item may only contain running text.
 */
import { lexer, type Token } from 'marked'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import { FORMATS } from './claude-imports.ts'

const RUNNING_TEXT = new Set(['text', 'escape', 'strong', 'em', 'del', 'codespan', 'link', 'br'])
/** Splits text as Claude Code does to look for imports. */
const IMPORT = /(?:^|\s)@[^\s]/
/** Shown plain, and marked as unverified. */
const TRUSTS = ['agent', 'flagged'] as const
/** Fragments of our own lines. */
const LABELS = [
  /\(\s*confidence\s*[:=]/gi,
  /\[(?:timing|remediation|learning|decision)\b[^\]]*\]/gi,
  /^- \[unverified\]/gim,
]
const RENDERED = ['file', 'operational', 'workflow', 'query'] as const

interface Item {
  task?: boolean
  tokens?: Token[]
}

function childrenOf(token: Token): Token[] {
  const {
    tokens = [],
    items = [],
    header = [],
    rows = [],
  } = token as {
    tokens?: Token[]
    items?: Token[]
    header?: Item[]
    rows?: Item[][]
  }
  return [...tokens, ...items, ...[header, ...rows].flat().flatMap((cell) => cell.tokens ?? [])]
}

/** The block structure, one per line, without text. */
function blocksOf(tokens: readonly Token[], depth = 0): string[] {
  return tokens.flatMap((token) => {
    if (RUNNING_TEXT.has(token.type) && depth > 1) return []
    const detail = token.type === 'heading' ? token.depth : token.type === 'list_item' ? token.task : ''
    return [`${depth} ${token.type} ${detail}`, ...blocksOf(childrenOf(token), depth + 1)]
  })
}

function* inlineOf(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    yield* inlineOf(childrenOf(token))
  }
}

function occurrences(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length
}

/** Structure that the content created; empty if it stayed text in every format. `raw` shows what it would have become. */
export function findMarkdownStructure(content: string, formats: readonly string[] = RENDERED): string[] {
  const found = new Set<string>()
  const variants = formats.flatMap((format) => TRUSTS.map((trust) => ({ format, trust })))
  for (const { format, trust } of variants) {
    const text = FORMATS[format]!([makeMemory({ content, layer: 'project', trust })])
    if (text === '') continue
    const plain = FORMATS[format]!([makeMemory({ content: 'plain words', layer: 'project', trust })])
    const tokens = lexer(text)
    if (blocksOf(tokens).join('\n') !== blocksOf(lexer(plain)).join('\n')) found.add(`${format}: other blocks`)
    for (const token of inlineOf(tokens)) {
      if (['html', 'image', 'checkbox', 'def', 'code', 'table', 'blockquote', 'hr'].includes(token.type)) {
        found.add(`${format}: ${token.type}`)
      }
      if (token.type === 'text' && IMPORT.test(token.text)) found.add(`${format}: import`)
    }
    for (const label of LABELS) {
      if (occurrences(text, label) > occurrences(plain, label)) found.add(`${format}: forged label`)
    }
  }
  return [...found]
}
