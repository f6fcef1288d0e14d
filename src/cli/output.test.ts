import { expect, it } from 'vitest'
import { formatTable, toJson } from './output.ts'

it('lines up columns, wide characters too, and shows control characters', () => {
  const rows = [
    { name: 'ab', text: 'first\u001B[2Jline\nsecond' },
    { name: '日本', text: 'x' },
  ]
  const table = formatTable(rows, [
    { title: 'NAME', value: (row) => row.name },
    { title: 'TEXT', value: (row) => row.text },
  ])
  expect(table.split('\n')).toEqual(['NAME  TEXT', 'ab    first␛[2Jline␊second', '日本  x', ''])
})

it('writes JSON that a terminal cannot obey and that reads back the same', () => {
  const value = { text: 'a\u009B31m\u202Eb\u2028c\u001B[0m \uD800' }
  const json = toJson(value)
  expect(json).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E\u2028\uD800]/)
  expect(JSON.parse(json)).toEqual(value)
})
