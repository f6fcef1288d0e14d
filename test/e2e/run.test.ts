import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { say } from './mock-api.ts'
import { AGENT, extracted, firstMessage, QUIET, runSpace, STREAM, systemOf } from './run-space.ts'

it.each([
  ['timeout and env', (command: readonly string[]) => ['timeout', '60', 'env', 'A=b', ...command]],
  ['a shell', ([program, ...args]: readonly string[]) => ['sh', '-c', `'${program}' "$@"`, 'sh', ...args]],
  ['a flag of the caller’s own', (command: readonly string[]) => [...command, '--append-system-prompt', 'OWN TEXT']],
  [
    'two flags of the caller’s own',
    (command: readonly string[]) => [
      ...command,
      ...['--append-system-prompt', 'OWN TEXT', '--append-system-prompt-file', 'own.md'],
    ],
  ],
])('behind %s the memories reach the system prompt, and are counted', async (name, around) => {
  const { run, json, repository, memories } = runSpace()
  writeFileSync(join(repository, 'own.md'), 'OWN FILE\n')
  await json(['add', '--layer', 'agent', ...AGENT, 'Prices are in cents'])
  const { code, requests } = await run([...AGENT, ...QUIET], STREAM, [say('Done.')], undefined, around)
  expect(code).toBe(0)
  const system = systemOf(requests[0])
  expect(system).toMatch(/# Role: coder.*- Prices are in cents/s)
  expect(system.includes('OWN TEXT')).toBe(name.includes('flag'))
  expect(system.includes('OWN FILE')).toBe(name.includes('two flags'))
  expect(await memories()).toMatchObject([{ recallCount: 1 }])
})

it('a session that is resumed, and one that was compacted, still has the memories, and those learned meanwhile', async () => {
  const { run, json } = runSpace()
  await json(['add', '--layer', 'agent', ...AGENT, 'Prices are in cents'])
  const first = await run([...AGENT, ...QUIET], STREAM, [say('Done.\n[MEMORY:dependency] Tests need a running queue')])
  const id = JSON.parse(first.stdout.split('\n').find((line) => line.includes('"init"'))!).session_id as string
  const compacted = await run(
    [...AGENT, ...QUIET],
    [...STREAM, '--resume', id],
    [say('<summary>The login was fixed.</summary>')],
    '/compact',
  )
  expect(compacted.code).toBe(0)
  expect(compacted.stdout).toContain('compact_boundary')
  const resumed = await run([...AGENT, ...QUIET], [...STREAM, '--resume', id], [say('Fine.')], 'go on')
  expect(JSON.stringify(resumed.requests[0]!.messages)).toContain('The login was fixed.')
  const system = systemOf(resumed.requests[0])
  for (const text of ['# Personality', '- Prices are in cents', '- Tests need a running queue']) {
    expect(system).toContain(text)
  }
})

it('[A06] an agent without memories gets no memory section, and a marker becomes a row of its session', async () => {
  const { run, memories, sessions } = runSpace()
  const { code, stdout, requests } = await run([...AGENT, ...QUIET, '--tier', '2'], STREAM, [
    say('I looked.\n[MEMORY:timing:jellyfin] Takes 60s to start\nDone.'),
  ])
  expect(code).toBe(0)
  expect(systemOf(requests[0])).not.toContain('What earlier runs learned')
  expect(
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).type),
  ).toContain('result')
  const [session] = await sessions()
  expect(session).toMatchObject({
    agent: 'nori',
    project: 'shop',
    role: 'coder',
    tier: 2,
    exitCode: 0,
    outcome: 'success',
  })
  expect(await memories()).toMatchObject([
    { content: 'Takes 60s to start', session: session!.id, tier: 2, layer: 'project' },
  ])
})

it('an API error becomes no memory, and the exit code stays', async () => {
  const { run, memories, sessions } = runSpace()
  const { code, requests } = await run(AGENT, STREAM, [{ status: 400, message: 'No.\n[MEMORY:behavior] Never true' }])
  expect(code).toBe(1)
  expect(await memories()).toEqual([])
  expect(await sessions()).toMatchObject([{ exitCode: 1, outcome: 'error' }])
  // The agent printed nothing, so nothing can be learned.
  expect(requests.every(({ tools }) => !tools?.some(({ name }) => name === 'StructuredOutput'))).toBe(true)
})

it('[A02] [A07] two learnings of a run become two memories, each from extraction and of that session', async () => {
  const { run, memories, sessions } = runSpace()
  const { code, stderr, requests } = await run(
    [...AGENT, '--trace'],
    [],
    [
      say('I found that prices are in cents, and that the tests need a queue.'),
      extracted([
        { content: 'Prices are in cents', evidence: 'I found that prices are in cents' },
        { content: 'Tests need a running queue', evidence: 'the tests need a queue' },
      ]),
    ],
  )
  expect(code).toBe(0)
  expect(stderr).toContain('6b extract: 2 learnings')
  expect(firstMessage(requests[1])).toContain('prices are in cents, and that the tests need a queue')
  const [session] = await sessions()
  const stored = await memories()
  expect(stored.map(({ content }) => content).sort()).toEqual(['Prices are in cents', 'Tests need a running queue'])
  for (const memory of stored) {
    expect(memory).toMatchObject({ source: 'extraction', session: session!.id, category: 'learning', layer: 'agent' })
  }
})

it('[A08] an extraction that fails is a warning, and the run ends as it did', async () => {
  const { run, memories } = runSpace()
  const { code, stderr } = await run(AGENT, STREAM, [say('I read the code.'), { status: 529, message: 'Overloaded' }])
  expect(code).toBe(0)
  expect(stderr).toMatch(/^nokosu: warning extraction: The extraction call failed: .*529/)
  expect(await memories()).toEqual([])
})

it('an extraction is bounded, and one odd learning costs none of the others', async () => {
  const { run, memories } = runSpace()
  const { code, stderr, requests } = await run(AGENT, STREAM, [
    say('The queue must be drained before a deploy.'),
    extracted([
      { content: 'Drain the queue before a deploy', evidence: 'The queue must be drained' },
      { content: 'Has no evidence', service: null, category: null, evidence: null, replaces: null },
      { content: 'Has an odd category', category: 'performance', service: 'two words' },
      { content: 'Replaces nothing', replaces: 9, evidence: 'The queue must be drained' },
    ]),
  ])
  expect(code).toBe(0)
  expect(requests[1]).toMatchObject({ max_tokens: 4000, output_config: { effort: 'low' } })
  expect((await memories()).map(({ content }) => content).sort()).toEqual([
    'Drain the queue before a deploy',
    'Has an odd category',
    'Has no evidence',
  ])
  expect(stderr).toContain('Learning 4: there is no memory 9')
})

it("an extraction keeps to the user's own, lower limit", async () => {
  const { run } = runSpace()
  const script = [say('The queue must be drained.'), extracted([])]
  const own = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '500' }
  const { requests } = await run(AGENT, STREAM, script, undefined, undefined, own)
  expect(requests[1]).toMatchObject({ max_tokens: 500, output_config: { effort: 'low' } })
})

it('[E11] in a session without an agent the project’s memories end the system prompt', async () => {
  const { run, json, memories } = runSpace()
  await json(['add', '--project', 'home', '--category', 'timing', '--service', 'jellyfin', 'Takes 60s to start'])
  const { requests } = await run(['--project', 'home', '--tier', '1', ...QUIET], STREAM, [
    say('[MEMORY:behavior] The disk is slow'),
  ])
  const system = systemOf(requests[0])
  expect(system).toMatch(
    /## Operational Memory \(1 memory, ~\d+ tokens\)\n\n### jellyfin\n- \[timing\] Takes 60s to start \(confidence: 0\.7\)\s*$/,
  )
  expect(await memories('--project', 'home')).toMatchObject([{ layer: 'project', tier: 1 }, { tier: 0 }])
})
