import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CaptureReport } from '../../src/engine/capture.ts'
import { kindsOf, query, streamOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const CAPTURE = ['capture', '--project', 'home']
const GOOD = '[MEMORY:timing:backup] The full backup takes 3 hours'

/** What is stored from a bad input followed by one good marker, and the report. */
async function survive(bad: string | Buffer, { after = streamOf('run-1', GOOD) } = {}) {
  const { folder, json } = workspace()
  const input = Buffer.concat([Buffer.from(bad), Buffer.from(after)])
  const report = await json<CaptureReport>(CAPTURE, { input })
  const stored = query<{ observation: string }>(folder, 'SELECT observation FROM memories ORDER BY id')
  return { report, stored: stored.map(({ observation }) => observation), reasons: report.refusals.map((r) => r.reason) }
}

const KEPT = ['The full backup takes 3 hours']

describe('input that is bad', () => {
  it('an empty file is nothing, and no error', async () => {
    const { folder, json } = workspace()
    writeFileSync(join(folder, 'empty.jsonl'), '')
    const report = await json<CaptureReport>(['capture', 'empty.jsonl', '--project', 'home'])
    expect(report).toMatchObject({ outcomes: [], refusals: [], warnings: [], session: null, lines: 0 })
  })

  it('a file that is not there, and a folder, are errors, and no store is made', async () => {
    const { folder, failure } = workspace()
    for (const path of ['nowhere.jsonl', folder]) {
      expect(await failure(['capture', path, '--project', 'home'])).toMatchObject({
        exit: 2,
        code: 'INVALID_INPUT',
        details: { path: resolve(folder, path) },
      })
    }
    expect(() => query(folder, 'SELECT 1')).toThrow()
  })

  it('a line of 40 MB is refused, and the next line is read', async () => {
    const line = `{"type":"assistant","message":"${'x'.repeat(40 << 20)}"}\n`
    const { stored, reasons, report } = await survive(line)
    expect(stored).toEqual(KEPT)
    expect(reasons).toEqual([expect.stringMatching(/long/)])
    expect(report.refusals[0]).toMatchObject({ line: 1 })
    expect(JSON.stringify(report).length).toBeLessThan(10_000)
  })

  it.each([
    ['JSON that is cut off', '{"type":"assistant","message":{"content":[{"type":"te\n', /JSON/],
    ['text between the events', 'npm warn deprecated\n', /JSON/],
    ['an array', '["assistant"]\n', /JSON/],
    ['a message without content', '{"type":"assistant","message":{"id":"m9"}}\n', /content/],
    ['a text that is none', '{"type":"assistant","message":{"content":[{"type":"text","text":7}]}}\n', /text/],
    [
      '200,000 open brackets',
      `{"type":"assistant","message":{"content":${'['.repeat(200_000)}${']'.repeat(200_000)}}}\n`,
      null,
    ],
  ])('%s is refused with the reason, the rest is kept', async (_, line, reason) => {
    const { stored, reasons } = await survive(line)
    expect(stored).toEqual(KEPT)
    expect(reasons).toEqual(reason === null ? [] : [expect.stringMatching(reason)])
  })

  it('bytes that are not UTF-8 are replaced, and the observation is kept', async () => {
    const line = streamOf('run-1', '[MEMORY:timing:nas] Spins up in ? seconds').replace('?', '\u00ff\u00fe')
    const { stored } = await survive(Buffer.from(line, 'latin1'))
    expect(stored).toEqual(['Spins up in \ufffd\ufffd seconds', ...KEPT])
  })

  it('of ten thousand markers in one message the first 200 are kept, and the rest is told', async () => {
    const text = Array.from({ length: 10_000 }, (_, at) => `[MEMORY:timing:unit-${at}] Starts with the others`).join(
      '\n',
    )
    const { report, stored } = await survive('', { after: streamOf('run-1', text) })
    expect(stored).toHaveLength(200)
    expect(report.warnings).toEqual([expect.stringContaining('9,800 more')])
  })

  it('a marker with a megabyte of text is refused with its length', async () => {
    const { stored, reasons } = await survive('', {
      after: streamOf('run-1', `[MEMORY:timing] ${'word '.repeat(200_000)}`, GOOD),
    })
    expect(stored).toEqual(KEPT)
    expect(reasons).toEqual([expect.stringMatching(/characters; at most/)])
  })

  it('markers in fenced code and in inline code are examples', async () => {
    const text = `Use the format:\n\`\`\`\n[MEMORY:timing] An example\n\`\`\`\nor \`[MEMORY:timing] <text>\` so.\n${GOOD}`
    const { stored, reasons } = await survive('', { after: streamOf('run-1', text) })
    expect(stored).toEqual(KEPT)
    expect(reasons).toEqual([expect.stringContaining('fenced code'), expect.stringContaining('inline code')])
  })

  it('invisible and reversing characters are removed, text from right to left stays', async () => {
    const hidden = '[MEMORY:behavior:mail] Re\u200bstarts \u202eat\u202c night\u2066\u2069\u{e0041}'
    const { stored } = await survive('', {
      after: streamOf(
        'run-1',
        hidden,
        '[MEMORY:behavior:he] שלום עולם',
        '[MEMORY:behavior:no] \u200b\u200d\u2060',
        GOOD,
      ),
    })
    expect(stored).toEqual(['Restarts at night', 'שלום עולם', ...KEPT])
  })

  it('no content can move the cursor of the one who looks', async () => {
    const { run } = workspace()
    const input = streamOf('run-1', '[MEMORY:behavior:x] A\u001b[2Jb\u0007c\u009bd', '[MEMORY:b\u001b[31mad] x')
    const { stdout, stderr } = await run(CAPTURE, { input })
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(stdout).toContain('[behavior:x]')
  })

  it.each([
    [['--tier', '9'], 'tier'],
    [['--format', 'xml'], 'format'],
    [['--layer', 'planet'], 'layer'],
    [['--project', ''], 'identifiers.projectId'],
  ])('the flags %j are refused by name, and nothing is stored', async (flags, field) => {
    const { failure, json } = workspace()
    const error = await failure([...CAPTURE, ...flags], { input: streamOf('run-1', GOOD) })
    expect(error).toMatchObject({ exit: 2, details: { field } })
    expect(await json(['list', '--all'])).toMatchObject({ totalCount: 0 })
  })

  it('without a project there is nowhere to put it', async () => {
    const { failure } = workspace()
    expect(await failure(['capture'], { input: streamOf('run-1', GOOD) })).toMatchObject({
      code: 'MISSING_IDENTIFIER',
      details: { identifier: 'projectId' },
    })
  })

  it('the same words twice in one message are one memory', async () => {
    const { report, stored } = await survive('', { after: streamOf('run-1', `${GOOD}\n${GOOD}`) })
    expect([kindsOf(report), stored]).toEqual([['insert'], KEPT])
  })
})
