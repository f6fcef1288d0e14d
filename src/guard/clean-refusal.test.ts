import { expect, it } from 'vitest'
import { cleanRefusal } from './clean-refusal.ts'

const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

it('takes secrets out of the reason and of the text, and keeps the line', () => {
  const cleaned = cleanRefusal({ reason: `Unknown category "${TOKEN}"`, text: `[MEMORY:x] key ${TOKEN}`, line: 7 })
  expect(JSON.stringify(cleaned)).not.toContain(TOKEN)
  expect(cleaned).toMatchObject({ reason: expect.stringContaining('Unknown category'), line: 7 })
})

it('makes one short printable line', () => {
  const { excerpt, reason } = cleanRefusal({ reason: 'r'.repeat(900), text: `a\u001B[2J\n\u202Eb ${'c '.repeat(200)}` })
  expect(excerpt).toMatch(/^a\S* ?\S*b c c/)
  expect(excerpt).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(excerpt.length).toBeLessThanOrEqual(120)
  expect(reason).toHaveLength(400)
})

it('leaves no half of a surrogate pair where it cuts', () => {
  expect(cleanRefusal({ reason: '', text: `${'x'.repeat(118)}👍👍` }).excerpt.isWellFormed()).toBe(true)
})
