import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { CLS, readWordPieces, SEP, WrongTokenizer } from './word-pieces.ts'

const TOKENIZER = join(import.meta.dirname, '../../models/shared/tokenizer.json')
const pieces = await readWordPieces(TOKENIZER)

describe('word pieces', () => {
  // Results of the tokenizer that the models were trained with.
  test.each([
    ['Takes 60s to start', [3138, 20341, 2000, 2707]],
    ['naïve CAFÉ', [15743, 7668]],
    ['日本 x', [1864, 1876, 1060]],
    ['zero\u200bwidth\tand\nlines', [5717, 9148, 11927, 2232, 1998, 3210]],
    ['x'.repeat(101), [100]],
    ['kubectl --dry-run=client', [13970, 4783, 6593, 2140, 1011, 1011, 4318, 1011, 2448, 1027, 7396]],
    ['😀 ok', [100, 7929]],
    ['İstanbul', [9960]],
    ['constructor', [9570, 2953]],
    [' \n', []],
  ])('%j', (text, expected) => {
    expect(pieces(text)).toEqual(expected)
  })

  test('the first words, searched in the bytes, get the pieces that later ones get', async () => {
    pieces('enough to have it parsed '.repeat(20))
    const odd = ['"quoted" \\ path', '[PAD] [CLS]', 'vocab: model type', '__proto__', '～ ！', 'zzyzzyxq nokosu', '']
    const random = fc.sample(fc.string({ unit: 'grapheme', maxLength: 12 }), { numRuns: 60, seed: 1 })
    for (const text of [...odd, ...random, 'unseen qwxz '.repeat(10)]) {
      vi.resetModules()
      const own = await import('./word-pieces.ts')
      expect((await own.readWordPieces(TOKENIZER))(text), text).toEqual(pieces(text))
    }
  })

  test('a text cannot spell out the marks of beginning and end', () => {
    const found = pieces('[CLS] done [SEP] more')
    expect(found).not.toContain(CLS)
    expect(found).not.toContain(SEP)
  })

  test('a file that differs in one piece is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nokosu-pieces-'))
    try {
      const path = join(folder, 'tokenizer.json')
      const own = await readFile(TOKENIZER, 'utf8')
      await writeFile(path, own.replace('"##ing"', '"##gni"'))
      await expect(readWordPieces(path)).rejects.toThrow(WrongTokenizer)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
