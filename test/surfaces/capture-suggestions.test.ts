import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CaptureReport } from '../../src/engine/capture.ts'
import { kindsOf, query, streamOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'

describe('suggestions', () => {
  const block = (entries: unknown) => `Done.\n\n## MEMORY_SUGGESTIONS\n\`\`\`json\n${JSON.stringify(entries)}\n\`\`\`\n`
  const good = {
    scope: 'task',
    event_type: 'hint',
    summary: 'The parser is in lib/parse.ts',
    importance: 70,
    tags: ['parser'],
    details: { file: 'lib/parse.ts' },
  }
  const place = ['--project', 'shop', '--section', 'S2', '--task', 'T7']

  it('[C12] are parsed strictly: the good are stored, each bad one is refused with its reason', async () => {
    const { folder, json } = workspace()
    const bad = [[{ ...good, scope: 'world' }, 'scope'] as const, ['text', 'entry'] as const]
    const section = { ...good, scope: 'section', summary: 'Reviews here ask for tests first' }
    const input = streamOf('run-1', block([good, ...bad.map(([entry]) => entry), section]))
    const report = await json<CaptureReport>(['capture', '--suggestions', ...place], { input })
    expect(kindsOf(report)).toEqual(['insert', 'insert'])
    expect(report.refusals.map(({ reason }) => reason)).toEqual(bad.map(([, why]) => expect.stringContaining(why)))
    expect(
      query(folder, 'SELECT scope, scope_id, event_type, summary, importance, tags FROM agent_memories ORDER BY id'),
    ).toEqual([
      { scope: 'task', scope_id: 'T7', event_type: 'hint', summary: good.summary, importance: 70, tags: 'parser' },
      {
        scope: 'section',
        scope_id: 'S2',
        event_type: 'hint',
        summary: section.summary,
        importance: 70,
        tags: 'parser',
      },
    ])
  })

  it('[C13] are ignored unless the configuration or the flag asks for them', async () => {
    const { folder, json } = workspace()
    const input = streamOf('run-1', block([good]))
    const off = await json<CaptureReport>(['capture', ...place], { input })
    expect([off.outcomes, off.refusals]).toEqual([[], []])
    writeConfig(folder, { memory: { includeHintsFromOutputs: true } })
    expect(kindsOf(await json<CaptureReport>(['capture', ...place], { input }))).toEqual(['insert'])
  })

  it('nothing is captured where memory is switched off, and nothing is shown', async () => {
    const { folder, run, json, failure } = workspace()
    await json(['add', '--project', 'home', '--category', 'timing', 'Known from before'])
    writeConfig(folder, { memory: { enabled: false } })
    const input = streamOf('run-1', '[MEMORY:timing] The backup takes 3 hours')
    const error = await failure(['capture', '--project', 'home'], { input })
    expect(error).toMatchObject({ code: 'UNSUPPORTED', details: { key: 'memory.enabled' } })
    expect(query(folder, 'SELECT observation FROM memories')).toEqual([{ observation: 'Known from before' }])
    expect(query(folder, 'SELECT * FROM sessions')).toEqual([])
    const shown = await run(['context', '--project', 'home', '--shown-to', 'run-2', '--explain'])
    expect(shown).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('memory.enabled') })
    expect(query(folder, 'SELECT recall_count FROM memories')).toEqual([{ recall_count: 0 }])
  })
})

function writeConfig(folder: string, config: object): void {
  writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify(config))
}
