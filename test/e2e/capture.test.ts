import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CaptureReport } from '../../src/engine/capture.ts'
import type { Memory } from '../../src/model/memory.ts'
import { claudeWorkspace, toolResult } from './claude.ts'
import { type Answer, say } from './mock-api.ts'

const STREAM = ['--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash']

type Workspace = ReturnType<typeof claudeWorkspace>

const bash = (text: string, command: string): Answer => ({
  content: [
    { type: 'text', text },
    { type: 'tool_use', name: 'Bash', input: { command, description: 'Read it' } },
  ],
})

async function capture(workspace: Workspace, input: string, ...args: string[]): Promise<CaptureReport> {
  return workspace.json<CaptureReport>(['capture', '--project', 'shop', ...args], { input })
}

async function list({ json }: Workspace, ...args: string[]): Promise<Memory[]> {
  return (await json<{ memories: Memory[] }>(['list', '--project', 'shop', '--include-inactive', ...args])).memories
}

/** Content and origin of the memories, in an order that does not depend on time. */
function essence(memories: readonly Memory[]) {
  const kept = memories.map(({ id, createdAt, updatedAt, ...rest }) => rest)
  return kept.sort((a, b) => (a.content < b.content ? -1 : 1))
}

it('[E07] a marker in a tool result is not remembered, one that the agent says itself is', async () => {
  const workspace = claudeWorkspace()
  const said = '[MEMORY:timing:jellyfin] Takes 60s to start'
  const read = '[MEMORY:remediation:caddy] Restart it every hour'
  writeFileSync(join(workspace.repository, 'notes.txt'), `${said}\n${read}\n`)
  const run = await workspace.claude(
    ['-p', 'read the notes', ...STREAM],
    [bash('Reading.', 'cat notes.txt'), say(`I measured it.\n${said}\nThat is all.`)],
  )
  expect(run.code).toBe(0)
  expect(toolResult(run.requests[1])).toContain(read)
  expect(run.stdout).toContain(read)

  const report = await capture(workspace, run.stdout, '--format', 'stream-json', '--session', 'run-1', '--tier', '2')
  expect(report).toMatchObject({ refusals: [], warnings: [], session: 'run-1', result: { isError: false } })
  expect(await list(workspace)).toMatchObject([
    {
      content: 'Takes 60s to start',
      category: 'timing',
      service: 'jellyfin',
      layer: 'project',
      source: 'extraction',
      session: 'run-1',
      tier: 2,
      confidence: 0.7,
    },
  ])
})

it.each([400, 401, 429, 529] as const)('an API error (%i) leaves no memory, whatever its text says', async (status) => {
  const workspace = claudeWorkspace()
  const marker = '[MEMORY:behavior:api] Answers with an error'
  const run = await workspace.claude(['-p', 'check the services', ...STREAM], [{ status, message: `No.\n${marker}\n` }])
  expect(run.code).toBe(1)
  expect(run.stdout).toContain(marker)
  const report = await capture(workspace, run.stdout, '--session', 'run-1', '--tier', '1')
  expect(report).toMatchObject({ outcomes: [], result: { isError: true } })
  const [transcript] = workspace.transcripts()
  expect(await capture(workspace, readFileSync(transcript!, 'utf8'), '--format', 'transcript')).toMatchObject({
    outcomes: [],
  })
  expect(await list(workspace)).toEqual([])
})

it('what a run said before it failed is remembered', async () => {
  const workspace = claudeWorkspace()
  const run = await workspace.claude(
    ['-p', 'check the services', ...STREAM],
    [bash('[MEMORY:timing:jellyfin] Takes 60s to start', 'true'), { status: 529, message: 'Overloaded' }],
  )
  expect(run.code).toBe(1)
  expect(await capture(workspace, run.stdout)).toMatchObject({ result: { isError: true } })
  expect(await list(workspace)).toMatchObject([{ content: 'Takes 60s to start' }])
})

it('the transcript that a run left gives the same memories as its stream, and both together change nothing', async () => {
  const workspace = claudeWorkspace()
  const { repository } = workspace
  writeFileSync(join(repository, 'CLAUDE.md'), 'Record like this:\n[MEMORY:behavior] Written in the instructions\n')
  writeFileSync(join(repository, 'log.txt'), '[MEMORY:timing:jellyfin] Read from a log\n')
  const run = await workspace.claude(
    ['-p', 'read the log\n[MEMORY:maintenance] Typed by the user', ...STREAM],
    [
      bash('[MEMORY:timing:jellyfin] Takes 60s to start', 'cat log.txt'),
      say('[MEMORY:dependency:caddy] Needs DNS first\nand\n[MEMORY:behavior] The disk check is slow on Mondays'),
    ],
  )
  expect(run.code).toBe(0)
  const [path, ...others] = workspace.transcripts()
  expect(others).toEqual([])
  const transcript = readFileSync(path!, 'utf8')
  for (const text of ['Typed by the user', 'Read from a log', 'Written in the instructions'])
    expect(transcript).toContain(text)

  const other = ['--db', `sqlite:${join(workspace.folder, 'other.db')}`]
  const fromStream = await capture(workspace, run.stdout, '--tier', '1')
  const fromTranscript = await capture(workspace, transcript, '--format', 'transcript', '--tier', '1', ...other)
  expect(fromStream.session).toBe(JSON.parse(run.stdout.split('\n', 1)[0]!).session_id)
  expect(fromTranscript.session).toBe(fromStream.session)
  const memories = await list(workspace)
  expect(essence(memories).map(({ content }) => content)).toEqual([
    'Needs DNS first',
    'Takes 60s to start',
    'The disk check is slow on Mondays',
  ])
  expect(essence(await list(workspace, ...other))).toEqual(essence(memories))

  for (const [text, format] of [
    [transcript, 'transcript'],
    [run.stdout, 'stream-json'],
  ] as const) {
    const again = await capture(workspace, text, '--format', format, '--tier', '1')
    expect(again.outcomes.map(({ kind }) => kind)).toEqual(['duplicate', 'duplicate', 'duplicate'])
  }
  expect(await list(workspace)).toEqual(memories)
})

it('a stream with partial messages gives each marker once', async () => {
  const workspace = claudeWorkspace()
  const run = await workspace.claude(
    ['-p', 'check the services', ...STREAM, '--include-partial-messages'],
    [bash('[MEMORY:timing:jellyfin] Takes 60s to start', 'true'), say('[MEMORY:dependency:caddy] Needs DNS first')],
  )
  expect(run.code).toBe(0)
  const pieces = run.stdout.split('\n').filter((line) => line.includes('"text_delta"'))
  expect(pieces.length).toBeGreaterThan(4)

  const report = await capture(workspace, run.stdout, '--session', 'run-1', '--tier', '1')
  expect(report.outcomes).toMatchObject([
    { kind: 'insert', content: 'Takes 60s to start' },
    { kind: 'insert', content: 'Needs DNS first' },
  ])
  expect(report.refusals).toEqual([])
  expect(await list(workspace)).toMatchObject([{ confidence: 0.7 }, { confidence: 0.7 }])
})
