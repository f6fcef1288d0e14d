import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMarkdownStructure } from '../../eval/guard/markdown.ts'
import { escapePromptBlock } from './escape.ts'

/** Building blocks of Markdown, chat templates, importers and our own lines, mixed with text of every script. */
const SIGNS = [
  ...[...'@ &#64; &commat; &amp;'.split(' '), '\\', '`', '```', ...'~~~ * ** _ # ## > -'.split(' '), '- ', '+ ', '1. '],
  ...['|', '[', ']', '[ ] ', '[x] ', '(', ')', '!', '![', '<', '</', '<!--', '-->', ']]>', '<|', '|>', ':', '=', '==='],
  ...[
    '[MEMORY:timing]',
    '[timing]',
    '(confidence: 1.0)',
    'Human:',
    'system:',
    'http://a.b',
    'a@b.co',
    'www.a.co',
    '.env',
  ],
  ...[' ', '\n', '\r\n', '\t', '\u2028', '\u200b', '\u202e', '\u001b[31m', '\u00a0', 'x', 'word', '~/.ssh/id_rsa'],
]
const hostile = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...SIGNS) }, fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''))

describe('any text, escaped', () => {
  it('stays one item of one list, as a Markdown parser of others reads it', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(findMarkdownStructure(text)).toEqual([])
      }),
      { numRuns: 1_500 },
    )
  })

  it('is one line, and escaping it again changes nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const escaped = escapePromptBlock(text)
        expect(escaped).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u)
        expect(escapePromptBlock(escaped)).toBe(escaped)
      }),
      { numRuns: 10_000 },
    )
  })
})
