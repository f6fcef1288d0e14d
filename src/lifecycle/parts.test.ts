import { expect, test } from 'vitest'
import { leavesPart, partAbout } from './parts.ts'

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

const CACHE = 'The cache lives 10 minutes and the queue holds 500 jobs'

test.each([
  [CACHE, 'The cache lives 15 minutes', 'The cache lives 10 minutes'],
  [CACHE, 'The queue holds 800 jobs', 'the queue holds 500 jobs'],
  [CACHE, 'The cache lives 15 minutes and the queue holds 800 jobs', null],
  [CACHE, 'Deploys need a ticket', null],
  ['The cache lives 10 minutes', 'The cache lives 15 minutes', null],
])('the part of %s that %s is about: %s', (note, other, expected) => {
  expect(partAbout(note, other)).toBe(expected)
})
