import { expect, test } from 'vitest'
import { areOfSeveral, holdElsewhere, isNeedAndFailure, isParallel } from './apart.ts'

test.each([
  ['Port 903 is taken by the proxy of team 3', 'Port 904 is taken by the proxy of team 4'],
  ['worker-a drains the queue orders.eu', 'worker-b drains the queue orders.us'],
  ['The proxy of team 3 is on 903', 'The proxy of team 4 is on 904'],
  ['Port 903 is taken by the proxy of team 3', "Team 4's proxy occupies port 904"],
])('%s, %s: of two things', (a, b) => {
  expect(isParallel(a, b) && isParallel(b, a)).toBe(true)
})

test.each([
  ['Port 903 is taken by team 3', 'Port 904 is taken by team 3'],
  ['Port 903 belongs to team 3', 'Team 3 uses port 904'],
  ['us-east is active and us-west is the standby', 'us-west is active and us-east is the standby'],
  ['deploy.sh is fail-fast and stops at once', 'deploy.sh is fail-safe and never stops'],
  ['Rows are soft-deleted and kept for 30 days', 'Rows are hard-deleted and kept for 0 days'],
  ['Retries 3, timeout 2 s', 'Retries 5, timeout 4 s'],
  ['Port 903 udp is open to all', 'Port 904 tcp is open to all'],
])('%s, %s: may be of one', (a, b) => {
  expect(isParallel(a, b)).toBe(false)
})

test.each([
  ['The firewall allows port 22', 'The firewall allows port 443', true],
  ['CORS allows https://app.tally.dev', 'CORS allows https://admin.tally.dev', true],
  ['The library supports Python 3.11', 'The library supports Python 3.12', true],
  ['Reports can be exported as PDF.', 'Reports can be exported as XLSX.', true],
  ['Login works with Google', 'Login works with GitHub', true],
  ['Zoe is a maintainer of the CLI', 'Ravi is a maintainer of the CLI', true],
  ['The build fails when the disk is full', 'The build fails when the token has expired', true],
  ['Alice is on call in week 12.', 'Alice is on call in week 20 as well.', true],
  ['CORS allows https://app.tally.dev', 'https://admin.tally.dev is an allowed origin of the API', true],
  ['CORS allows app.tally.dev', 'App.tally.dev is an allowed origin', false],
  ['The parser accepts most formats', 'The parser accepts few formats', false],
  ['The parser accepts 5 files', 'The parser accepts 9 files', false],
  ['Level 4 is too hard', 'Level 4 is too easy', false],
  ['Login works with Google', 'Login does not work with Google', false],
  ['The dashboard reads from ClickHouse', 'The dashboard reads from Postgres', false],
  ['The firewall allows only port 22', 'The firewall allows only port 443', false],
  ['The firewall allows port 22', 'The firewall allows only 443', false],
  ['The firewall allows only 22', 'The firewall allows port 443', false],
  ['The gateway allows 100 requests', 'The gateway allows 250 requests', false],
  ['The server listens on port 8080', 'The server listens on port 9090', false],
])('%s, %s: two of several: %s', (a, b, expected) => {
  expect(areOfSeveral(a, b)).toBe(expected)
})

test.each([
  ['tsc is strict in CI', 'tsc is not strict in the editor', true],
  ['In staging the relay accepts everything', 'In production the relay refuses unsigned mail', true],
  ['The leak was fixed in 3.2', 'The leak is still there in 3.1', true],
  ['Before the upgrade a search took 3 s', 'Searches take 200 ms since the upgrade', true],
  ['Before 2.0 the config was an INI file', 'Since 2.0 the config is a JSON file', true],
  ['Before 2.0 the config was an INI file', 'Since 2.1 the config is a JSON file', false],
  ['The leak was fixed in 3.2', 'The leak is still there in 3.2', false],
  ['The leak was fixed in 3.2', 'The leak was fixed in 3.3', false],
  ['Staging sends mail', 'Production sends mail', false],
  ['In staging the relay accepts all mail', 'In production, unlike staging, the relay refuses some', false],
  ['The hotfix is only in staging', 'The hotfix runs in production', false],
  ['Run the linter before the upgrade', 'Run the linter after the upgrade', false],
])('%s, %s: hold elsewhere: %s', (a, b, expected) => {
  expect([holdElsewhere(a, b), holdElsewhere(b, a)]).toEqual([expected, expected])
})

test.each([
  ['The proxy must be reloaded after a change', 'A change has no effect until the proxy is reloaded', true],
  ['Changing a flag requires a restart', 'Flags cannot be changed without a restart', true],
  ['The tests need Docker', 'The tests run without Docker', false],
  ['Must be started after WireGuard, fails otherwise', 'Must be started before WireGuard', false],
  ['Nobody has to approve bumps', 'Bumps cannot be merged without an owner', false],
])('%s, %s: a need and what fails without: %s', (a, b, expected) => {
  expect([isNeedAndFailure(a, b), isNeedAndFailure(b, a)]).toEqual([expected, expected])
})
