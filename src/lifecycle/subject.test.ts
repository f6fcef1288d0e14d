import { expect, it } from 'vitest'
import { canBeSameThing, statementBeside } from './subject.ts'

const say = (service: string | null, content: string) => ({ service, content })

it.each([
  [say('PG-Main', 'Takes 60s'), say('pg_main', 'Takes 90s')],
  [say('pg-main', 'max_connections is 400'), say('postgres', 'pg-main has max_connections 800')],
  [say('pg-main', 'Fails over in 40s'), say(null, "PG_Main's failover takes 5 minutes")],
  [say('db', '(pg-main) has 400 connections'), say('database', "pg-main's connections are 800")],
  [say('build runner', 'Has four cores'), say(null, 'The build runner has eight cores')],
  [say('deploy', 'Releases need an approval'), say(null, 'Releases need no approval')],
  [say('deploy', 'pg-main has 400 connections'), say('database', 'On pg-main 800 connections are open')],
])('%o can be about what %o is about', (a, b) => {
  expect(canBeSameThing(a, b) && canBeSameThing(b, a)).toBe(true)
})

it.each([
  [say('jellyfin', 'Takes 60s to start'), say('plex', 'Takes 90s to start')],
  [say('jellyfin', 'Takes 60s to start'), say(null, 'Takes 90s to start')],
  [say('checkout', 'DB_POOL_SIZE is 20'), say('billing', 'DB_POOL_SIZE is 30')],
  [say('postgres', 'Listens on 5432'), say('mysql', 'postgres-exporter listens on 9187')],
])('%o is not about what %o is about', (a, b) => {
  expect(canBeSameThing(a, b) || canBeSameThing(b, a)).toBe(false)
})

it('compares what names its service by its label alone with the label', () => {
  const [labelled, named] = [say('pg-main', 'max_connections is 400'), say(null, 'pg-main has max_connections 800')]
  expect(statementBeside(labelled, named)).toBe('pg-main: max_connections is 400')
  expect(statementBeside(named, labelled)).toBe(named.content)
  expect(statementBeside(labelled, say('PG_main', 'Has 800'))).toBe(labelled.content)
  expect(statementBeside(labelled, say('pg-main', 'pg-main has 800'))).toBe('pg-main: max_connections is 400')
})
