import { describe, expect, it } from 'vitest'
import { LineSplitter } from './lines.ts'

const split = (chunks: (string | Buffer)[], max?: number) => {
  const splitter = new LineSplitter(max)
  const lines: { text: string; number: number; overlong: boolean }[] = []
  const take = (found: Iterable<{ bytes: Buffer; number: number; overlong: boolean }>) => {
    for (const { bytes, number, overlong } of found) lines.push({ text: bytes.toString('utf8'), number, overlong })
  }
  for (const chunk of chunks) take(splitter.push(Buffer.from(chunk)))
  take(splitter.end())
  return { lines, splitter }
}
const texts = (chunks: (string | Buffer)[], max?: number) => split(chunks, max).lines.map((line) => line.text)

describe('LineSplitter', () => {
  it('joins lines over chunks, and counts a last line without an end', () => {
    const { lines, splitter } = split(['a', 'b\n\nc', 'd', '\r\ne\n', 'last'])
    expect(lines.map((line) => line.text)).toEqual(['ab', '', 'cd', 'e', 'last'])
    expect(lines.map((line) => line.number)).toEqual([1, 2, 3, 4, 5])
    expect(splitter).toMatchObject({ lines: 5, bytes: 14 })
  })

  it('gives the same lines wherever the chunks are cut', () => {
    const bytes = Buffer.from('\ufeffé\r\nzwei 👍\n\n\nx'.repeat(3))
    const whole = texts([bytes])
    for (let at = 1; at < bytes.length; at++) {
      expect(texts([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    }
    expect(texts([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole)
    expect(whole[0]).toBe('é')
  })

  it('has no lines for nothing', () => {
    expect(split([]).lines).toEqual([])
    expect(split(['']).lines).toEqual([])
  })

  it('drops an overlong line and goes on, in one chunk or in many', () => {
    const long = 'x'.repeat(25)
    for (const chunks of [
      [`a\n${long}\nb`],
      ['a\nxxxxx', 'x'.repeat(10), 'x'.repeat(10), '\nb'],
      [`a\n${long}`, '\nb'],
    ]) {
      expect(split(chunks, 10).lines).toEqual([
        { text: 'a', number: 1, overlong: false },
        { text: 'x'.repeat(10), number: 2, overlong: true },
        { text: 'b', number: 3, overlong: false },
      ])
    }
    expect(split(['x'.repeat(10)], 10).lines[0]?.overlong).toBe(false)
    expect(split([long], 10).lines).toMatchObject([{ overlong: true }])
  })
})
