import { expect, it } from 'vitest'
import { branchQuery } from './branch-query.ts'

it.each([
  ['fix/login-redirect', 'login redirect'],
  ['feature/SHOP-123-cart_total', 'SHOP-123 cart total'],
  ['dana/retry.queue', 'dana retry queue'],
  ['claude/fixPaymentTimeout', 'fix Payment Timeout'],
  ['日本語/検索', '日本語 検索'],
])('%s is about %s', (branch, query) => {
  expect(branchQuery(branch)).toBe(query)
})

it.each(['main', 'master', 'develop', 'release/1.2.0', 'feature/42', 'wip', '---'])('%s says nothing', (branch) => {
  expect(branchQuery(branch)).toBeNull()
})

it('is bounded, whatever the branch is called', () => {
  expect(branchQuery('words-'.repeat(1000))!.length).toBeLessThanOrEqual(200)
})
