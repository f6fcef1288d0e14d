import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { paint, toJson, toTerminalText, write } from './output.ts'
import { createShell, inShell } from './shell.ts'
import { formatTable } from './table.ts'

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
  const value = { text: 'a\u009B31m\u202Eb\u2028c\u001B[0m \u200B\u{E0041}\uD800' }
  const json = toJson(value)
  expect(json).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202E\u2028\uD800\uDB40]/)
  expect(JSON.parse(json)).toEqual(value)
})

function terminal() {
  const stdout = Object.assign(new PassThrough(), { isTTY: true })
  const own = createShell({ stdin: new PassThrough(), stdout, stderr: new PassThrough(), env: {}, cwd: '/' })
  return { own, read: () => String(stdout.read() ?? '') }
}

it('writes its own colours to a terminal, and shows those of the text as characters', async () => {
  const { own, read } = terminal()
  await inShell(own, () => write(`${paint('red', 'a\u001B[2Jb')} \u001B[32mc\u009B\td\n`))
  expect(read()).toBe('\u001B[31ma␛[2Jb\u001B[39m ␛[32mc⟨U+009B⟩\td\n')
})

it('takes no colour from a text that was painted elsewhere', () => {
  expect(toTerminalText('\u001B0123456789abcdef01234567[31mred')).toBe('␛0123456789abcdef01234567[31mred')
})
