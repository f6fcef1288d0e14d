import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { settings, snapshot } from '../surfaces/git-workspace.ts'
import { say } from './mock-api.ts'
import { AGENT, firstMessage, QUIET, runSpace, STREAM, systemOf } from './run-space.ts'

it.skipIf(inject('claudeBinary') === '')(
  '[A05] [B02] personality, role and memories end the system prompt, beside the repository’s own text, and nothing in the tree changes',
  async () => {
    const { run, json, repository } = runSpace()
    writeFileSync(join(repository, 'CLAUDE.md'), 'Our own rule: tabs.\n')
    writeFileSync(join(repository, '.env'), 'CANARY=1\n')
    for (const text of ['Prices are in cents', 'Tests need a running queue', 'Defaults are in @.env and @CLAUDE.md']) {
      await json(['add', '--layer', 'agent', ...AGENT, text])
    }
    const [before, told] = [snapshot(repository), settings(repository)]
    const { code, requests } = await run([...AGENT, ...QUIET], STREAM, [say('Done.')])
    expect(code).toBe(0)
    const system = systemOf(requests[0])
    const order = ['# Personality', 'You are Nori', '# Role: coder', '## Memory Recording', 'What earlier runs learned']
    const places = order.map((text) => system.indexOf(text))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(system).toMatch(/- Tests need a running queue\n- Prices are in cents\s*$/)
    expect(firstMessage(requests[0])).toContain('Our own rule: tabs.')
    expect(JSON.stringify(requests)).not.toContain('CANARY')
    expect(snapshot(repository)).toEqual(before)
    expect(settings(repository)).toEqual(told)
  },
)
