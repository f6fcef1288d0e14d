import { expect, it } from 'vitest'
import { findKeywords } from './secret-prefilter.ts'
import { SECRET_RULES } from './secret-rules.ts'

it('finds every keyword of every rule, wherever it stands, in whatever case, and no other', () => {
  for (const [index, { id, keywords }] of SECRET_RULES.entries()) {
    for (const keyword of keywords.split('|').filter(Boolean)) {
      for (const text of [keyword, `${keyword} ~`, `~ ${keyword.toUpperCase()}`, `~${keyword}~`])
        expect(findKeywords(text)[index], `${id}: ${text}`).toBe(1)
    }
  }
  expect(findKeywords('~ ~ ~')).toEqual(new Uint8Array(SECRET_RULES.length))
})
