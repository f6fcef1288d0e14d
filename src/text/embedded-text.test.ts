import { expect, it } from 'vitest'
import { embeddedText } from './embedded-text.ts'

const thread = { id: 'talk', index: 3 }

it('of a line in a thread what is said is embedded, without who said it and when', () => {
  const embedded = (content: string, service: string | null = null) => embeddedText({ content, service, thread })
  expect(embedded('Ann (1:56 pm on 8 May, 2023): It was cold')).toBe('It was cold')
  expect(embedded('Ann Lee: It was cold')).toBe('It was cold')
  expect(embedded('It was cold')).toBe('It was cold')
  expect(embedded('Ann: ')).toBe('Ann: ')
  expect(embedded('Ann: It was cold', 'lab')).toBe('lab: It was cold')
})

it('a memory without a thread is embedded as it is, behind its service', () => {
  expect(embeddedText({ content: 'Note: it was cold', service: null })).toBe('Note: it was cold')
  expect(embeddedText({ content: 'Note: it was cold', service: 'lab', thread: null })).toBe('lab: Note: it was cold')
})
