import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AccessToken } from '../model/records.ts'
import { openRunToken, parentOf, runToken, tokenFrom } from './run-token.ts'

const SECRET = `nks_${'0123456789abcdef'}_secret`
const NOW = Date.UTC(2026, 0, 1)
const DAY = 86_400_000
const BOTH = { projectId: 'shop', agentId: 'nori' }

const parent = (fields: Partial<AccessToken> = {}): AccessToken => ({
  ...({
    id: '0123456789abcdef',
    name: 'host',
    scope: 'write',
    identifiers: {},
    createdAt: '',
    lastUsedAt: null,
  } as unknown as AccessToken),
  hash: createHash('sha256').update(SECRET).digest('hex'),
  ...fields,
})
const open = (asked: object, bound: object, now = NOW) =>
  openRunToken(runToken(SECRET, asked, NOW)!, parent({ identifiers: bound }), now)?.identifiers ?? null

it('opens what the run is bound to, within what its parent is bound to', () => {
  expect(open(BOTH, {})).toEqual(BOTH)
  expect(open(BOTH, { projectId: 'shop' })).toEqual(BOTH)
  expect(open({ projectId: 'shop' }, BOTH)).toEqual(BOTH)
  expect(open(BOTH, { projectId: 'bank' })).toBeNull()
  expect(open({ ...BOTH, agentId: 'koji' }, BOTH)).toBeNull()
})

it('is good for a day, for nobody else’s secret, and never an admin’s', () => {
  expect(open(BOTH, {}, NOW + DAY - 1)).toEqual(BOTH)
  expect(open(BOTH, {}, NOW + DAY)).toBeNull()
  const token = runToken(SECRET, BOTH, NOW)!
  expect(openRunToken(token, parent({ hash: 'f'.repeat(64) }), NOW)).toBeNull()
  expect(openRunToken(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, parent(), NOW)).toBeNull()
  expect(openRunToken(token, parent({ scope: 'admin' }), NOW)?.scope).toBe('write')
  expect(openRunToken(token, parent({ scope: 'read' }), NOW)?.scope).toBe('read')
  expect(openRunToken('nkr_x', parent(), NOW)).toBeNull()
  expect([parentOf(token), parentOf(SECRET)]).toEqual(['0123456789abcdef', null])
  expect(runToken(token, { projectId: 'bank' })).toBe(token)
})

it('comes from the environment, the process’s own before the run’s', () => {
  expect(tokenFrom({ NOKOSU_TOKEN: ' a ', NOKOSU_RUN_TOKEN: 'b' })).toBe('a')
  expect(tokenFrom({ NOKOSU_TOKEN: ' ', NOKOSU_RUN_TOKEN: 'b' })).toBe('b')
  expect(tokenFrom({})).toBeUndefined()
})
