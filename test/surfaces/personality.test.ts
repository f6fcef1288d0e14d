import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Personality } from '../../src/model/personality.ts'
import { workspace } from './run-cli.ts'

describe('personality', () => {
  it('[B01] [B04] is set, shown, listed and deleted; the default is back after that', async () => {
    const { json, run } = workspace()
    const set = await json<Personality>([
      ...['personality', 'set', 'nori', '--display-name', 'Nori II', '--persona', 'Writes little.'],
      ...['--trait', 'brief', '--trait', 'calm', '--style', 'Dry.'],
    ])
    expect(set).toEqual({
      agentName: 'nori',
      displayName: 'Nori II',
      persona: 'Writes little.',
      traits: ['brief', 'calm'],
      communicationStyle: 'Dry.',
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await json(['personality', 'get', '--agent', 'nori'])).toEqual(set)
    expect(await json(['personality', 'get', 'nori', '--stored'])).toEqual(set)
    expect(await json(['personality', 'list'])).toEqual([set])
    expect((await run(['personality', 'get', 'nori'])).stdout).toMatch(/Nori II.*Writes little.*- brief.*Dry\./s)
    expect(await json(['personality', 'delete', 'nori', '--yes'])).toEqual({ success: true })
    expect(await json(['personality', 'delete', 'nori'])).toEqual({ success: true })
    expect(await json(['personality', 'get', 'nori'])).toMatchObject({ displayName: 'Nori', updatedAt: null })
  })

  it('[B04] an agent that nobody knows has none, and a default is not stored', async () => {
    const { failure, json } = workspace()
    expect(await failure(['personality', 'get', 'wasabi'])).toMatchObject({ code: 'MEMORY_NOT_FOUND' })
    expect(await failure(['personality', 'get', 'nori', '--stored'])).toMatchObject({ code: 'MEMORY_NOT_FOUND' })
    expect(await json(['personality', 'list'])).toEqual([])
  })

  it('changes only what is said, and starts from the default', async () => {
    const { json } = workspace()
    const first = await json<Personality>(['personality', 'set', 'koji', '--style', 'Loud.'])
    expect(first).toMatchObject({ displayName: 'Koji', communicationStyle: 'Loud.' })
    expect(first.persona).toContain('reviewer')
    const second = await json<Personality>(['personality', 'set', 'koji', '--persona', '-'], {
      input: 'From a pipe.\n',
    })
    expect(second).toMatchObject({ persona: 'From a pipe.', communicationStyle: 'Loud.' })
  })

  it('reads JSON and YAML files', async () => {
    const { folder, json, failure } = workspace()
    writeFileSync(join(folder, 'w.yaml'), 'displayName: Wasabi\npersona: |\n  Sharp.\n  Brief.\ntraits: [hot, green]\n')
    writeFileSync(join(folder, 'w.json'), '{"agentName": "wasabi", "persona": "Mild."}')
    expect(await json(['personality', 'set', 'wasabi', '--file', 'w.yaml'])).toMatchObject({
      persona: 'Sharp.\nBrief.\n',
      traits: ['hot', 'green'],
    })
    expect(await json(['personality', 'set', 'wasabi', '--file', 'w.json', '--style', 'x'])).toMatchObject({
      displayName: 'Wasabi',
      persona: 'Mild.',
      communicationStyle: 'x',
    })
    expect(await failure(['personality', 'set', 'nori', '--file', 'w.json'])).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'agentName' },
    })
    writeFileSync(join(folder, 'bad.yaml'), '- a list\n')
    writeFileSync(join(folder, 'odd.json'), '{"persona": "x", "mood": "grim"}')
    for (const file of ['bad.yaml', 'odd.json', 'none.yaml']) {
      expect(await failure(['personality', 'set', 'wasabi', '--file', file])).toMatchObject({ code: 'INVALID_INPUT' })
    }
    expect(await json(['personality', 'get', 'wasabi'])).toMatchObject({ persona: 'Mild.' })
  })

  it('opens the editor on what is there, and an editor that fails changes nothing', async () => {
    const { folder, json, failure } = workspace()
    const editor = join(folder, 'my editor.sh')
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/^displayName:.*/displayName: Edited/" "$1"\n')
    chmodSync(editor, 0o755)
    const set = ['personality', 'set', 'toro', '--editor']
    expect(await json(set, { env: { EDITOR: `'${editor}'` } })).toMatchObject({
      agentName: 'toro',
      displayName: 'Edited',
    })
    expect(await failure(set, { env: { EDITOR: 'false' } })).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await failure(set)).toMatchObject({ message: expect.stringContaining('EDITOR') })
    expect(await json(['personality', 'get', 'toro'])).toMatchObject({ displayName: 'Edited' })
  })

  it('names what is wrong or missing, and keeps a terminal safe', async () => {
    const { failure, run } = workspace()
    expect(await failure(['personality', 'set', 'wasabi', '--style', 'x'])).toMatchObject({
      details: { field: 'persona' },
    })
    expect(await failure(['personality', 'set', 'wasabi', '--persona', 'a\u001bb'])).toMatchObject({
      details: { field: 'persona' },
    })
    expect(await failure(['personality', 'set', 'wasabi'])).toMatchObject({
      message: expect.stringContaining('--persona'),
    })
    expect(await failure(['personality', 'get'])).toMatchObject({ code: 'MISSING_IDENTIFIER', exit: 2 })
    await run(['personality', 'set', 'wasabi', '--persona', 'evil \u202e text'])
    expect((await run(['personality', 'get', 'wasabi'])).stdout).not.toContain('\u202e')
  })
})
