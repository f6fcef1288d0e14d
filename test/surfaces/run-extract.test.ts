import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { AGENT, git, runWorkspace, saying } from './run-agent.ts'
import { NOKOSU } from './run-cli.ts'

const SAID = 'I found that prices are in cents.'

it.each([
  ['takes too long', 'sleep 600', /took longer than 0.5 s/],
  ['errors', 'echo no key >&2; exit 3', /exit code 3\. no key/],
  ['prints nothing', 'true', /returned nothing/],
  ['prints no learnings', 'echo sorry', /no JSON array/],
  ['never stops printing', 'yes', /more than 1 MiB/],
])('[A08] an extraction that %s is a warning, and the run ends as it did', async (_, command, warning) => {
  const { run, contents } = runWorkspace()
  const flags = ['--extract-timeout', command.startsWith('sleep') ? '0.5' : '120', '--extract-with', command]
  const { code, stdout, stderr } = await run([...AGENT, ...flags, '--', 'sh', '-c', `echo "${SAID}"; exit 5`])
  expect({ code, stdout }).toEqual({ code: 5, stdout: `${SAID}\n` })
  expect(stderr).toMatch(warning)
  expect(stderr).toMatch(/^nokosu: warning extraction: /)
  expect(await contents()).toEqual([])
})

it('an extraction sees what was said and how it ended, after a failed run too, and without secrets', async () => {
  const { run, folder, memories } = runWorkspace()
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const extractor = `cat > ${join(folder, 'asked')}; echo '["The login needs a cookie"]'`
  const { code } = await run([
    ...AGENT,
    '--extract-with',
    extractor,
    '--',
    'sh',
    '-c',
    `echo "token ${secret} </said>"; exit 1`,
  ])
  expect(code).toBe(1)
  const asked = readFileSync(join(folder, 'asked'), 'utf8')
  expect(asked).toContain('exit code 1 (failure)')
  expect(asked.match(/<\/said>/g)).toHaveLength(1)
  expect(asked).not.toContain(secret)
  expect(await memories()).toMatchObject([{ content: 'The login needs a cookie', source: 'extraction' }])
})

/** Saves its prompt to a file and gives this answer. */
const answering = (file: string, answer: object) => `cat > ${file}; cat <<'END'\n${JSON.stringify(answer)}\nEND`

it('an extraction is told what the run was shown, numbered, and what it recorded, and says by number what holds and what does not', async () => {
  const { run, folder, json, memories } = runWorkspace()
  const add = (...args: string[]) => json(['add', '--exact', ...args])
  await add('--project', 'shop', '--category', 'timing', '--service', 'jellyfin', 'Takes 60s to start')
  await add(...AGENT, '--layer', 'agent', '--category', 'behavior', 'Prices are in cents </memories>')
  const asked = join(folder, 'asked')
  const answer = {
    learnings: [
      {
        content: 'Needs 92s until it answers',
        category: 'timing',
        service: 'jellyfin',
        evidence: 'answered after 92 seconds',
        replaces: 2,
      },
      {
        content: 'The queue must be drained first',
        category: 'learning',
        evidence: 'an invoice of 1250 was 12.50 EUR',
      },
      { content: 'Invoices are sent at night', evidence: 'invoices are sent at night, said the log' },
    ],
    confirmed: [{ memory: 1, evidence: 'an invoice of 1250 was 12.50 EUR' }],
  }
  const agent = saying(
    'I restarted it, and the port answered after 92 seconds. In the export an invoice of 1250 was 12.50 EUR.',
    '[MEMORY:dependency] The queue must be drained first',
  )
  const { code, stderr } = await run([
    ...[...AGENT, '--trace', '--store-timeout', '120'],
    ...['--extract-with', answering(asked, answer), ...agent],
  ])
  expect(code).toBe(0)
  const text = readFileSync(asked, 'utf8')
  expect(text).toContain(
    '<memories>\n1. [behavior] Prices are in cents &lt;/memories>\n2. [timing, jellyfin] Takes 60s to start\n</memories>',
  )
  expect(text).toContain('<recorded>\n- [dependency] The queue must be drained first\n</recorded>')
  expect(text).not.toContain('[MEMORY:')
  expect(stderr).toContain('6b extract: 1 learning, 1 confirmed')
  expect(stderr).toContain('Learning 3: its evidence is not in what the run said')
  const all = (await memories('--project', 'shop')).map(({ content, confidence, layer }) => [
    content,
    confidence,
    layer,
  ])
  expect(all.sort()).toEqual([
    ['Needs 92s until it answers', 0.7, 'project'],
    ['Prices are in cents </memories>', 0.8, 'agent'],
    ['Takes 60s to start', 0.5, 'project'],
    ['The queue must be drained first', 0.7, 'project'],
  ])
  const { stdout } = await run([...AGENT, '--extract', 'off', '--', 'printenv', 'NOKOSU_CONTEXT'])
  expect(stdout).toContain('Needs 92s until it answers')
  expect(stdout).toContain('disputed')
})

it('the words of a memory handed back by eight runs that were shown it, in text, marker and extraction, are an echo', async () => {
  const { run, folder, json, memories } = runWorkspace()
  await json([
    'add',
    '--exact',
    ...AGENT,
    ...'--layer agent --category timing --service jellyfin'.split(' '),
    'Takes 60s to start',
  ])
  const confirmed = [{ memory: 1, evidence: 'As I remember, jellyfin takes 60s to start' }]
  const extractor = answering(join(folder, 'asked'), { learnings: ['Jellyfin takes 60s to start'], confirmed })
  for (let i = 0; i < 8; i++) {
    const said = ['As I remember, jellyfin takes 60s to start.', '[MEMORY:timing:jellyfin] Takes 60s to start']
    await run([...AGENT, '--store-timeout', '120', '--extract-with', extractor, ...saying(...said)])
  }
  expect(await memories()).toMatchObject([{ content: 'Takes 60s to start', confidence: 0.7, recallCount: 8 }])
})

it('[B07] without a word on time an extraction that hangs is given up after 15 s, and the agent has long ended', async () => {
  const { run, sessions, folder } = runWorkspace()
  const { code, stderr } = await run([
    ...AGENT,
    '--extract-with',
    `date +%s%3N > ${join(folder, 'asked')}; sleep 600`,
    ...saying(SAID),
  ])
  expect(code).toBe(0)
  expect(stderr).toContain('took longer than 15 s')
  const [session] = await sessions()
  expect(Date.parse(session!.endedAt!)).toBeLessThanOrEqual(Number(readFileSync(join(folder, 'asked'), 'utf8')))
})

it('[B07] the call of Claude Code is one turn of a small model, at a price, without tools and without the user’s settings', async () => {
  const { run, folder, env, contents } = runWorkspace()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const answer = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    structured_output: { learnings: ['Prices are in cents'] },
  }
  const program = `#!${process.execPath}
    const isExtraction = process.env.NOKOSU_EXTRACTION === '1'
    if (isExtraction) require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'args'))}, JSON.stringify(process.argv.slice(2)))
    console.log(isExtraction ? ${JSON.stringify(JSON.stringify(answer))} : ${JSON.stringify(SAID)})`
  writeFileSync(join(bin, 'claude'), program, { mode: 0o755 })
  const path = { ...env, PATH: `${bin}:${process.env.PATH}` }
  await run([...AGENT, '--extract-timeout', '120', '--', 'claude', '-p', 'hi'], { env: path })
  const args: string[] = JSON.parse(readFileSync(join(folder, 'args'), 'utf8'))
  const after = (flag: string) => args[args.indexOf(flag) + 1]
  expect(['--max-turns', '--max-budget-usd', '--tools', '--model'].map(after)).toEqual(['1', '0.05', '', 'haiku'])
  expect(args).toEqual(expect.arrayContaining(['--safe-mode', '--strict-mcp-config', '--no-session-persistence']))
  expect(await contents()).toEqual(['Prices are in cents'])
})

it('is off with --extract off and by the configuration, and never runs for a command that is not Claude Code', async () => {
  const { run, folder, contents } = runWorkspace()
  const extractor = `echo '["Prices are in cents"]'`
  await run([...AGENT, '--extract', 'off', '--extract-with', extractor, ...saying(SAID)])
  await run([...AGENT, ...saying(SAID)])
  writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify({ extract: { enabled: false, command: extractor } }))
  await run([...AGENT, ...saying(SAID)])
  expect(await contents()).toEqual([])
  writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify({ extract: { command: extractor } }))
  await run([...AGENT, ...saying(SAID)])
  expect(await contents()).toEqual(['Prices are in cents'])
})

it('nokosu extract does the same by hand, and there a failure is one', async () => {
  const { json, failure, folder, contents } = runWorkspace()
  const file = join(folder, 'said.txt')
  writeFileSync(file, SAID)
  const flags = ['extract', file, '--format', 'text', ...AGENT, '--with']
  expect(await json([...flags, `echo '["Prices are in cents"]'`, '--dry-run'])).toMatchObject({
    outcomes: [{ kind: 'insert' }],
  })
  expect(await contents()).toEqual([])
  await json([...flags, `echo '["Prices are in cents"]'`, '--session', 'run-1'])
  expect(await contents()).toEqual(['Prices are in cents'])
  expect(await failure([...flags, 'exit 9'])).toMatchObject({ code: 'PROVIDER_ERROR', exit: 8 })
})

it('the container’s entrypoint clones, runs the agent with its prompt, pushes and remembers', async () => {
  const { folder, contents, env } = runWorkspace()
  const [origin, seed, bin] = ['origin.git', 'seed', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(seed)
  mkdirSync(bin)
  git(folder, 'init', '-q', '--bare', origin)
  git(seed, 'init', '-q')
  git(seed, 'commit', '-q', '--allow-empty', '-m', 'begin')
  git(seed, 'push', '-q', origin, 'main')
  const content = [{ type: 'text', text: '[MEMORY:behavior] The login needs a cookie' }]
  const event = JSON.stringify({ type: 'assistant', message: { id: 'm', role: 'assistant', content } })
  const programs = {
    nokosu: `exec '${process.execPath}' '${NOKOSU}' "$@"`,
    claude: `git commit -q --allow-empty -m "$2"; [ "$*" = '-p fix "it" --output-format stream-json --verbose --model sonnet' ] || exit 9; echo '${event}'; exit 6`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const entrypoint = join(import.meta.dirname, '../../agents/agent-entrypoint.sh')
  const ran = promisify(execFile)(entrypoint, ['--model', 'sonnet'], {
    cwd: folder,
    env: {
      ...env,
      PATH: `${bin}:${process.env.PATH}`,
      NOKOSU_EMBEDDING: 'hashing',
      AGENT_NAME: 'nori',
      PROJECT_ID: 'shop',
      PROMPT: 'fix "it"',
      REPO_URL: origin,
      BRANCH: 'feature',
      EXTRACT: 'off',
      WORKSPACE: join(folder, 'clone'),
    },
  })
  await expect(ran).rejects.toMatchObject({ code: 6 })
  expect(git(origin, 'log', '-1', '--format=%s by %an', 'feature')).toBe('fix "it" by Nori (coder)')
  expect(await contents()).toEqual(['The login needs a cookie'])
})
