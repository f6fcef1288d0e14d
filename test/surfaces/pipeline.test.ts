import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PipelineReport } from '../../src/agents/pipeline.ts'
import { git } from './run-agent.ts'
import { runCli } from './run-cli.ts'
import { scriptedAgents } from './scripted-agent.ts'

const PIPELINE = ['pipeline', '--project', 'shop', 'A page of open orders'] as const

const WELL = {
  miso: [{ say: 'The design: one page, one query.\n[MEMORY:behavior:orders] Open orders have no invoice' }],
  nori: [{ say: 'Built it in orders.ts.' }],
  koji: [{ say: 'Read all of it.\nVERDICT: APPROVE' }],
  toro: [{ say: 'PASSED\n[MEMORY:timing:tests] The order tests take 40s' }],
}

it('[B11] architect, coder, reviewer and tester work in this order, each as itself, each told what the one before said', async () => {
  const { report, asked, memories, sessions, work } = scriptedAgents(WELL)
  const { exitCode, outcome, steps } = await report<PipelineReport>(...PIPELINE)
  expect({ exitCode, outcome }).toEqual({ exitCode: 0, outcome: 'done' })
  expect(steps.map(({ agent, role }) => `${agent} ${role}`)).toEqual([
    'miso architect',
    'nori coder',
    'koji reviewer',
    'toro tester',
  ])
  const [miso, nori, koji, toro] = asked()
  for (const [{ agent, instructions, prompt }, name, role] of [
    [miso!, 'Miso', 'architect'],
    [nori!, 'Nori', 'coder'],
    [koji!, 'Koji', 'reviewer'],
    [toro!, 'Toro', 'tester'],
  ] as const) {
    expect(agent).toBe(name.toLowerCase())
    expect(instructions).toMatch(new RegExp(`# Personality.*You are ${name}.*# Role: ${role}`, 's'))
    expect(prompt).toContain('A page of open orders')
  }
  expect(miso!.prompt).not.toContain('<handoff')
  expect(nori!.prompt).toContain('<handoff from="miso, architect">\nThe design: one page, one query.')
  expect(koji!.prompt).toContain('<handoff from="nori, coder">\nBuilt it in orders.ts.\n</handoff>')
  expect(toro!.prompt).toContain('Read all of it.')
  expect(steps.map(({ session }) => session)).toEqual(asked().map(({ session }) => session))
  expect((await sessions()).map(({ id }) => id).sort()).toEqual(steps.map(({ session }) => session).sort())
  expect(steps[0]!.memories).toMatchObject([{ kind: 'insert', content: 'Open orders have no invoice' }])
  expect(await memories('--agent', 'toro', '--project', 'shop')).toMatchObject([
    { content: 'The order tests take 40s', session: steps[3]!.session },
    { content: 'Open orders have no invoice', session: steps[0]!.session },
  ])
  expect(miso!.memory).toBe('')
  for (const { memory } of [nori!, koji!, toro!]) expect(memory).toContain('- orders: Open orders have no invoice')
  expect(git(work, 'status', '--porcelain')).toBe('')
})

it('the first agent that fails ends it with its exit code', async () => {
  const { report, asked } = scriptedAgents({ ...WELL, nori: [{ say: 'I cannot.', exit: 7 }] })
  const { exitCode, outcome } = await report<PipelineReport>(...PIPELINE)
  expect({ exitCode, outcome, asked: asked().length }).toEqual({ exitCode: 7, outcome: 'failed', asked: 2 })
})

it('one that failed at its third agent goes on there, with all that was said; --from-start asks everybody', async () => {
  const { report, asked, perform } = scriptedAgents({ ...WELL, koji: [{ say: 'No more tokens.', exit: 7 }] })
  expect(await report<PipelineReport>(...PIPELINE)).toMatchObject({ exitCode: 7, outcome: 'failed', resumed: [] })
  perform({ koji: WELL.koji, toro: WELL.toro })
  const again = await report<PipelineReport>(...PIPELINE)
  expect(again).toMatchObject({ exitCode: 0, outcome: 'done', resumed: ['miso', 'nori'] })
  expect(again.steps.map(({ agent }) => agent)).toEqual(['koji', 'toro'])
  const koji = asked()[3]!
  expect(koji.agent).toBe('koji')
  expect(koji.prompt).toContain('<handoff from="miso, architect">\nThe design: one page, one query.')
  expect(koji.prompt).toContain('<handoff from="nori, coder">\nBuilt it in orders.ts.\n</handoff>')
  // Finished steps are repeated on request.
  perform({ ...WELL, koji: [{ say: 'No more tokens.', exit: 7 }] })
  expect(await report<PipelineReport>(...PIPELINE)).toMatchObject({ exitCode: 7, resumed: [] })
  perform(WELL)
  const anew = await report<PipelineReport>(...PIPELINE, '--from-start')
  expect(anew).toMatchObject({ exitCode: 0, resumed: [] })
  expect(anew.steps).toHaveLength(4)
})

it('without a place for the prompt, or without a feature, nobody is started', async () => {
  const { folder, work, env } = scriptedAgents({})
  const refused = async (...args: string[]) => {
    const ran = await runCli(['pipeline', '--json', '--project', 'shop', '--workspace', work, ...args], {
      cwd: folder,
      env,
    })
    return { exit: ran.code, ...JSON.parse(ran.stderr).error }
  }
  const invalid = (field: string) => ({ exit: 2, code: 'INVALID_INPUT', details: { field } })
  expect(await refused('A page', '--', 'touch', 'started')).toMatchObject(invalid('command'))
  expect(await refused(' ', '--', 'touch', 'started', '{prompt}')).toMatchObject(invalid('feature'))
  expect(await refused()).toMatchObject({ exit: 2 })
  expect(existsSync(join(work, 'started'))).toBe(false)
})
