import { describe, expect, it } from 'vitest'
import { random } from '../../test/guard/secret-examples.ts'
import { sanitizeText } from './sanitize.ts'

const ESC = '\u001b'
const code = (...points: number[]): string => String.fromCodePoint(...points)

describe('sanitizeText', () => {
  it.each([
    ['C0 controls', `a${code(0, 1, 7, 8, 0x1f)}b`, 'ab'],
    ['DEL', `a${code(0x7f)}b`, 'ab'],
    ['C1 controls', `a${code(0x80, 0x8d, 0x9f)}b`, 'ab'],
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['cursor moves', `a${ESC}[2J${ESC}[1;1Hb`, 'ab'],
    ['the one-byte form of an escape sequence', `a${code(0x9b)}31mb`, 'ab'],
    ['window titles, closed by BEL', `a${ESC}]0;title${code(7)}b`, 'ab'],
    ['links, closed by ESC backslash', `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['device strings', `a${ESC}P1$qm${ESC}\\b`, 'ab'],
    ['two-byte escapes', `a${ESC}cb${ESC}(Bc`, 'abc'],
    ['a lone ESC', `a${ESC}`, 'a'],
    ['zero-width spaces', `a${code(0x200b)}b`, 'ab'],
    ['the word joiner and invisible operators', `a${code(0x2060, 0x2063)}b`, 'ab'],
    ['the byte order mark', `${code(0xfeff)}ab`, 'ab'],
    ['soft hyphens', `a${code(0xad)}b`, 'ab'],
    ['bidi overrides', `a${code(0x202e)}cb${code(0x202c)}`, 'acb'],
    ['bidi isolates and marks', `a${code(0x2066)}b${code(0x2069, 0x200e, 0x200f, 0x61c)}`, 'ab'],
    ['tag characters', `a${code(0xe0068, 0xe0069, 0xe007f)}b`, 'ab'],
    ['fillers', `a${code(0x3164, 0x115f, 0xffa0)}b`, 'ab'],
    ['variation selectors behind letters', `a${code(0xfe0f)}b${code(0xe0100, 0xfe00)}`, 'ab'],
    ['joiners between Latin letters', `a${code(0x200d)}b${code(0x200c)}c`, 'abc'],
    ['lone surrogates', 'a\ud800b\udc00c', 'abc'],
    ['non-characters', `a${code(0xfffe, 0xfdd0, 0xffff)}b`, 'ab'],
    ['annotation marks', `a${code(0xfff9, 0xfffb)}b`, 'ab'],
  ])('removes %s', (_name, text, expected) => {
    expect(sanitizeText(text)).toBe(expected)
  })

  it.each([
    ['line breaks of every kind', 'a\nb\r\nc\rd\u0085e\u2028f\u2029g\vh\fi', 'a b c d e f g h i'],
    ['tabs and wide spaces', 'a\tb\u00a0c\u3000d\u2003e', 'a b c d e'],
    ['runs of spaces, inside and around', '  a   b  ', 'a b'],
  ])('makes one space of %s', (_name, text, expected) => {
    expect(sanitizeText(text)).toBe(expected)
  })

  it('composes to NFC', () => {
    expect(sanitizeText('e\u0301')).toBe('\u00e9')
  })

  it.each([
    ['a family', code(0x1f468, 0x200d, 0x1f469, 0x200d, 0x1f467)],
    ['a skin tone in a sequence', code(0x1f469, 0x1f3fd, 0x200d, 0x1f4bb)],
    ['a heart in colour', code(0x2764, 0xfe0f)],
    ['a keycap', code(0x31, 0xfe0f, 0x20e3)],
    ['a Persian word', code(0x645, 0x6cc, 0x200c, 0x62e, 0x648)],
    ['a Devanagari conjunct', code(0x915, 0x94d, 0x200d, 0x937)],
    ['text in many scripts', 'Größe, 日本語, Ελληνικά, עברית'],
    ['code', 'if (a < b && c > "d") { return `x` }'],
  ])('keeps %s', (_name, text) => {
    expect(sanitizeText(text)).toBe(text.normalize('NFC'))
  })

  it('is idempotent on any mix', () => {
    const pieces = [
      ...[
        'a',
        ' ',
        '\n',
        ESC,
        '[31m',
        `${ESC}[0m`,
        `${ESC}]0;`,
        code(7),
        '\\',
        '1',
        '\ud83d',
        '\ude00',
        '\u0301',
        '\u0085',
      ],
      ...[
        0x200b, 0x200c, 0x200d, 0xfe0e, 0xfe0f, 0x20e3, 0x2764, 0x1f468, 0x1f3fd, 0x915, 0x94d, 0x34f, 0xe0061, 0x9b,
      ].map((point) => code(point)),
    ]
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from(
        { length: 8 },
        () => pieces[Number.parseInt(random(3, 'digits'), 10) % pieces.length],
      ).join('')
      const once = sanitizeText(text)
      expect(sanitizeText(once)).toBe(once)
      expect(once).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u202e]/u)
    }
  })

  it('stays linear on hostile input', () => {
    // CPU time, because on a busy machine the clock says nothing about the text.
    const start = process.cpuUsage()
    for (const piece of [ESC, `${ESC}]`, `${ESC}[`, '\u200d', '\ufe0f', ' ', '\ud800', 'e\u0301']) {
      sanitizeText(piece.repeat(1_000_000 / piece.length))
    }
    sanitizeText(`${ESC}]${'a'.repeat(1_000_000)}`)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1000).toBeLessThan(3_000)
  })
})
