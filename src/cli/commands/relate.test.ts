import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { configure } from './relate.ts'

afterEach(() => vi.restoreAllMocks())

async function run(...args: string[]): Promise<string> {
  const program = new Command('nokosu').option('--json')
  configure(program.command('relate'))
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  // A rerun of the test gets the spy of the first run.
  write.mockClear()
  await program.parseAsync(['relate', ...args], { from: 'user' })
  return write.mock.calls.map(([text]) => String(text)).join('')
}

test('says what it thinks, why, and what would come of it', async () => {
  const said = await run('The leak was fixed in 3.2', 'The leak is still there in 3.2')
  expect(said).toMatch(/^contradicts {2}a contradiction by meaning, \d+ % sure: “The leak was fixed in 3\.2” and /)
  expect(said).toContain('The second would weaken the first')
})

test('as JSON', async () => {
  expect(JSON.parse(await run('Takes 60s to start', 'Takes about a minute to start', '--json'))).toEqual({
    relation: 'same',
    score: 1,
    reason: 'the same words, after numbers and notation are normalised',
    redacted: 0,
  })
})

test('a secret is taken out before it is compared, and what is left is never the same', async () => {
  const [one, two] = ['4f9aQz81LmPw77', '9xKd02VbTr55Yh'].map((secret) => `The staging database password is ${secret}`)
  const said = await run(one!, two!)
  expect(said).toMatch(/^other {2}the same words, but what was redacted/)
  expect(said).toMatch(/\n2 secrets redacted\.\n$/)
  const quoted = await run(one!, 'Staging has no database password')
  expect(quoted).not.toContain('4f9aQz81LmPw77')
  expect(quoted).toContain('1 secret redacted.')
  expect(JSON.parse(await run(one!, one!, '--json'))).toMatchObject({ relation: 'other', redacted: 2 })
})

test('what is not compared when it is remembered is not compared here', async () => {
  const said = await run('The staging cache is on', 'Invoices are sent in March')
  expect(said).toMatch(/^other {2}too far apart to be about the same/)
})

test('with a service the vectors are those of memories about it', async () => {
  const statements = ['Takes 60s to start', 'It is up at once']
  expect(await run(...statements)).toMatch(/^other {2}too far apart/)
  expect(await run(...statements, '--service', 'jellyfin')).not.toContain('too far apart')
})

test('what the statements hold cannot reach the terminal as a command', async () => {
  expect(await run('The cache is \u001b[31mon', 'The cache is off')).not.toContain('\u001b[31m')
})

test('a statement that says nothing is refused by name', async () => {
  await expect(run('The cache is on', ' ')).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { field: 'other' },
  })
})
