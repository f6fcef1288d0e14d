import { expect, it } from 'vitest'
import { resolveClaim, resolveOwner } from './claim.ts'

const OPERATOR = { identifiers: null, by: 'ann', everything: true } as const
const NORI = { identifiers: { projectId: 'shop', agentId: 'nori' }, by: 'nori' } as const

it('an operator reads the whole store without saying so, and writes for nobody without saying for whom', () => {
  expect(resolveClaim(OPERATOR, {})).toBeNull()
  expect(resolveClaim(OPERATOR, { identifiers: { projectId: 'shop' } })).toEqual({ projectId: 'shop' })
  const missing = expect.objectContaining({ code: 'MISSING_IDENTIFIER' })
  expect(() => resolveOwner(OPERATOR, undefined)).toThrow(missing)
  expect(() => resolveOwner(OPERATOR, {})).toThrow(missing)
})

it('whoever is known is what it is known by, and can say no more than that', () => {
  expect(resolveOwner(NORI, undefined)).toEqual(NORI.identifiers)
  expect(resolveOwner(NORI, { agentId: 'nori' })).toEqual(NORI.identifiers)
  const refused = (identifier: string) => expect.objectContaining({ code: 'UNAUTHORIZED', details: { identifier } })
  expect(() => resolveOwner(NORI, { projectId: 'shop', agentId: 'mori' })).toThrow(refused('agentId'))
  expect(() => resolveClaim(NORI, { everything: true })).toThrow(refused('everything'))
})
