import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { streamOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'
import { onTerminal } from './terminal.ts'

const SHOP = ['--project', 'shop']

async function told(args: readonly string[]) {
  const { run } = workspace()
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  return stderr
}

describe('a wrong word', () => {
  it.each([
    [['lst'], 'Did you mean list?'],
    [['remember', 'x'], 'Did you mean add?'],
    [['restore', 'x'], 'Did you mean undelete?'],
    [['review', 'acept'], 'Did you mean accept?'],
    [['list', '--categry', 'timing'], 'Did you mean --category?'],
    [['list', ...SHOP, '--category', 'timming'], 'Invalid --category: .* Did you mean timing?\nUse one of timing, '],
    [['list', ...SHOP, '--layers', 'project,tem'], 'Invalid --layers: .* Did you mean team?'],
    [['add', ...SHOP, '--layer', 'projct', 'x'], 'INVALID_LAYER Invalid --layer: .* Did you mean project?'],
    [['search', ...SHOP, '--mode', 'hybird', 'x'], 'Invalid --mode: .* Did you mean hybrid?'],
    [['capture', ...SHOP, '--format', 'txt'], 'Invalid --format: .* Did you mean text?'],
  ])('%j is answered with the one that was probably meant', async (args, meant) => {
    expect(await told(args)).toMatch(new RegExp(meant.replaceAll('?', '\\?')))
  })

  it.each([
    [['list', ...SHOP, '--limit', '1000'], "Invalid --limit: '1000' is not a whole number from 1 to 100."],
    [['search', ...SHOP, '--threshold', '7', 'x'], "Invalid --threshold: '7' is not a number from 0 to 1."],
    [['list', ...SHOP, '--cursor', 'abc'], 'Invalid --cursor: '],
    [['add', ...SHOP, '--tag', 'a,b', 'x'], 'Invalid --tag: '],
    [['add', '--project', ' ', 'x'], 'Invalid --project: '],
    [['add', ...SHOP, '--expires', 'soon', 'x'], 'Invalid --expires: '],
    [['add', ...SHOP, '--happened', 'soon', 'x'], 'Invalid --happened: '],
    [['add', ...SHOP, '--thread', ' ', 'x'], 'Invalid --thread: '],
    [['update', ...SHOP, '--if-version', '0', 'abcdef', '--content', 'x'], 'Invalid --if-version: '],
    [['get', ...SHOP], '<id> is missing: the id of a memory'],
  ])('%j names the flag or the argument', async (args, said) => {
    expect(await told(args)).toContain(said)
  })

  it('a confidence beyond its bounds is kept as the bound, and that is said', async () => {
    const { run } = workspace()
    const { stdout, stderr } = await run(['add', ...SHOP, '--confidence', '5', 'Prices are in cents'])
    expect(stdout).toContain('confidence  1.00')
    expect(stderr).toBe('--confidence must be from 0 to 1: 5 was changed to 1.\n')
  })
})

describe('nothing found', () => {
  it('leads to the next command, with what was typed in it', async () => {
    const { run, json } = workspace()
    await json(['add', ...SHOP, '--layer', 'agent', '--agent', 'nori', 'Prices are in cents'])
    const note = async (...args: string[]) => (await run(args)).stderr
    expect(await note('list', '--project', 'shp')).toBe('Nothing is stored for the project shp. Did you mean shop?\n')
    expect(await note('search', ...SHOP, '--agent', 'norri', 'x')).toContain('the agent norri. Did you mean nori?')
    expect(await note('list', ...SHOP, '--tag', 'x')).toBe(
      'No memories of project shop match. All of them:\n  nokosu list --project shop\n',
    )
    expect(await note('search', ...SHOP, 'zebra', 'crossing')).toContain(
      "\n  nokosu search --project shop --threshold 0.5 'zebra crossing'\n",
    )
    expect(await note('sessions', ...SHOP)).toContain('\n  nokosu run --agent nori -- claude -p ')
    expect(await note('personality', 'get', 'norri')).toContain('Did you mean nori?')
    expect(await note('personality', 'get', 'nobody')).toContain('\n  nokosu personality set nobody --persona ')
  })
})

describe('words without quotes', () => {
  it('are one query and one memory; a dash among them is asked about', async () => {
    const { json, failure } = workspace()
    expect(await json(['add', ...SHOP, 'Takes', '60s', 'to', 'start'])).toMatchObject({
      memory: { content: 'Takes 60s to start' },
    })
    expect(await json(['search', ...SHOP, '--threshold', '0', 'to', 'start'])).toMatchObject({
      results: [{ memory: { content: 'Takes 60s to start' } }],
    })
    const { details, ...error } = await failure(['add', ...SHOP, 'from', '-', 'to'])
    expect(error).toMatchObject({ exit: 2, code: 'INVALID_INPUT' })
    expect(details.hint).toContain("nokosu add 'from - to'")
  })
})

describe('capture', () => {
  const MARKER = '[MEMORY:timing:db] The backup takes 3 hours'
  const line = (value: object) => `${JSON.stringify(value)}\n`
  const message = { role: 'assistant', content: [{ type: 'text', text: MARKER }] }
  const transcript = line({ type: 'summary', summary: 'x' }) + line({ type: 'assistant', sessionId: 's1', message })

  it.each([
    ['stream-json', 'the output of Claude Code', streamOf('run-1', MARKER)],
    ['stream-json', 'the output of Claude Code', `npm warn something\n\n${streamOf('run-1', MARKER)}`],
    ['transcript', 'a transcript', transcript],
    ['text', 'plain text', `${MARKER}\n`],
    ['text', 'plain text', `${'Working on it.\n'.repeat(30)}${MARKER}\n`],
    [
      'learnings',
      'a JSON array',
      JSON.stringify([{ content: 'The backup takes 3 hours', category: 'timing' }], null, 2),
    ],
  ])('takes what is %s for %s', async (format, words, input) => {
    const { run, json } = workspace()
    const dry = await run(['capture', ...SHOP, '--dry-run'], { input })
    expect(dry.stderr).toContain(`Read as ${words}`)
    const report = await json<{ format: string; outcomes: unknown[] }>(['capture', ...SHOP], { input })
    expect(report.format).toBe(format)
    expect(report.outcomes).toMatchObject([{ kind: 'insert', content: 'The backup takes 3 hours' }])
  })

  it('follows the input of a hook to the transcript that it names', async () => {
    const { run, json, folder } = workspace()
    writeFileSync(join(folder, 't.jsonl'), transcript)
    const input = JSON.stringify(
      { hook_event_name: 'SessionEnd', session_id: 's1', transcript_path: 't.jsonl' },
      null,
      2,
    )
    expect((await run(['capture', ...SHOP, '--dry-run'], { input })).stderr).toMatch(
      /^Read as the transcript .*t\.jsonl/,
    )
    expect(await json(['capture', ...SHOP], { input })).toMatchObject({ format: 'transcript', session: 's1' })
    expect(await json(['list', ...SHOP])).toMatchObject({ totalCount: 1 })
    const last = JSON.stringify({ hook_event_name: 'Stop', session_id: 's2', last_assistant_message: MARKER })
    expect(await json(['capture', ...SHOP], { input: last })).toMatchObject({ format: 'text', session: 's2' })
  })

  it('says where a marker comes from when there is none, and shows no raw log line on a terminal', async () => {
    const { run, folder } = workspace()
    expect((await run(['capture', ...SHOP], { input: 'hello\n' })).stderr).toContain("'nokosu recording' prints")
    const file = join(folder, 'said.txt')
    writeFileSync(file, '[MEMORY:misc] The lights are on\n')
    const { stdout, stderr } = await onTerminal(['capture', ...SHOP, file], { cwd: folder })
    expect(stderr).not.toContain('{')
    expect(stdout).toContain('Unknown category "misc"')
  })
})
