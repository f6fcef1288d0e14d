import { expect, test } from 'vitest'
import { leavesPart } from './parts.ts'

const COMPOUND = 'The worker reads jobs from Redis and writes results to S3'

test.each([
  [COMPOUND, 'Results are now written to Postgres by the worker, no longer to S3', true],
  ['Deploys need a ticket; rollbacks take three minutes', 'Rollbacks take ten minutes', true],
  [COMPOUND, 'The worker reads jobs from Redis and writes results to Postgres', false],
  ['Caddy must be started after WireGuard', 'Caddy can be started independently of WireGuard', false],
  ['Takes 60s to start', 'Takes 90s to start', false],
])('%s beside %s leaves a part: %s', (note, correction, expected) => {
  expect(leavesPart(note, correction)).toBe(expected)
})
