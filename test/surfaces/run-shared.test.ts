import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runWorkspace, saying } from './run-agent.ts'

const FACT = 'Answers 418 when the queue is full'
const SAYS = saying(`[MEMORY:behavior:api] ${FACT}`)
const SHOWS = ['--', 'sh', '-c', 'printf %s "$NOKOSU_CONTEXT"']
const as = (agent: string, ...more: string[]) => [
  ...['--agent', agent, '--project', 'shop', '--extract', 'off', '--store-timeout', '60'],
  ...more,
]

it('what one agent’s run found out is in the context of the next agent’s, and says who found it', async () => {
  const { run, memories } = runWorkspace()
  await run([...as('nori', '--session', 'monday'), ...SAYS])
  expect((await run([...as('koji'), ...SHOWS])).stdout).toContain(`- api: ${FACT}`)
  expect(await memories('--agent', 'koji', '--project', 'shop')).toMatchObject([
    { layer: 'project', identifiers: { agentId: 'nori', projectId: 'shop' }, session: 'monday' },
  ])
})

it('what an extraction learned stays with the agent', async () => {
  const { run } = runWorkspace()
  const extractor = ['--extract', 'on', '--extract-timeout', '60', '--extract-with', `echo '["Reads the docs first"]'`]
  await run([...as('nori', ...extractor), '--', 'echo', 'Done.'])
  expect((await run([...as('nori'), ...SHOWS])).stdout).toContain('- Reads the docs first')
  expect((await run([...as('koji'), ...SHOWS])).stdout).not.toContain('Reads the docs first')
})

it.each([
  ['the flag', ['--private'], null],
  ['the setting', [], '{"memory": {"private": true}}'],
])('%s keeps a fact with the agent that found it', async (_, flags, config) => {
  const { run, folder } = runWorkspace()
  if (config !== null) writeFileSync(join(folder, 'nokosu.config.json'), config)
  await run([...as('nori', ...flags), ...SAYS])
  expect((await run([...as('nori'), ...SHOWS])).stdout).toContain(FACT)
  expect((await run([...as('koji'), ...SHOWS])).stdout).not.toContain(FACT)
})

it.each([[[]], [['--agent', 'koji']]])(
  'where not everything fits, an agent %j is shown what its prompt asks for',
  async (who) => {
    const { run, cli, folder } = runWorkspace()
    const settings = { project: 'shop', budget: 170, embedding: { kind: 'hashing' } }
    writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify(settings))
    const sure = ['--confidence', '1', '--layer', 'project']
    for (const shelf of [1, 2, 3, 4, 5, 6, 7, 8, 9])
      await cli([
        'add',
        ...sure,
        `Shelf ${shelf} of the warehouse is counted every night by robot number ${shelf + 40}`,
      ])
    await cli([
      'add',
      'The signing key of the price feed is rotated with minisign by the release team, who then restart every relay',
    ])
    const shown = async (prompt: string) =>
      (await run([...who, '--extract', 'off', '--', 'sh', '-c', 'printf %s "$NOKOSU_CONTEXT"', prompt])).stdout
    expect(await shown('rotate the signing key of the price feed')).toContain('rotated with minisign')
    expect(await shown('count shelf 3')).not.toContain('rotated with minisign')
  },
)
