import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { TierReport } from '../../src/agents/tier.ts'
import { type Asked, scriptedAgents } from './scripted-agent.ts'

const TIER = (tier: number) => ['tier', String(tier), '--project', 'home'] as const
const HOME = ['--project', 'home'] as const

/** The one argument that ends the system prompt. */
function appended({ args }: Asked): string {
  const flags = args.filter((word) => word.startsWith('--append-system-prompt'))
  expect(flags).toEqual(['--append-system-prompt'])
  return args[args.indexOf('--append-system-prompt') + 1]!
}

it('[E11] environment, memories and hand-off end the system prompt in one argument, and the prompt is the tier’s', async () => {
  const { report, json, asked, folder } = scriptedAgents({ any: [{ say: 'ALL CLEAR' }] })
  await json(['add', ...HOME, '--category', 'timing', '--service', 'jellyfin', 'Takes 60s to start'])
  writeFileSync(join(folder, 'services.txt'), '# ours\ncaddy\n\npostgres\n')
  writeFileSync(join(folder, 'findings.md'), 'jellyfin does not answer\n')
  const files = ['--services-file', join(folder, 'services.txt'), '--handoff', join(folder, 'findings.md')]
  const { steps } = await report<TierReport>(...TIER(2), '--services', 'jellyfin', ...files)
  expect(steps).toMatchObject([{ tier: 2, role: 'investigate', shown: 1, escalations: [] }])
  const [session] = asked()
  expect(session!.prompt).toMatch(/^# Tier 2: investigate\n/)
  const text = appended(session!)
  expect(text).toMatch(
    new RegExp(
      [
        `^## Environment\\n\\n- Host: ${hostname()} \\(.*\\)\\n- Time: \\d{4}-\\S+Z\\n- Tier: 2 \\(investigate\\)\\n- Services: jellyfin, caddy, postgres`,
        '## Operational Memory \\(1 memor(?:y|ies), ~\\d+ tokens\\)\\n\\n### jellyfin\\n- \\[timing\\] Takes 60s to start \\(confidence: 0\\.7\\)',
        '## Hand-off\\n\\n<handoff from="the tier before">\\njellyfin does not answer\\n</handoff>\\s*$',
      ].join('\\n\\n'),
    ),
  )
})

it('[E08] [E09] an escalation starts the next tier with the hand-off, and each tier is recorded with its session and memories', async () => {
  const { report, asked, memories, sessions } = scriptedAgents({
    any: [
      { say: '[MEMORY:behavior:adguard] Answers 302 when healthy\nESCALATE: jellyfin: no answer for 5 minutes' },
      { say: 'It hangs.\n[MEMORY:timing:jellyfin] Takes 60s to start\n**ESCALATE: jellyfin: the disk is full**' },
      { say: '[MEMORY:dependency:caddy] Needs WireGuard first\nRESOLVED: made room' },
    ],
  })
  const { exitCode, steps, handOff } = await report<TierReport>(...TIER(1), '--escalate')
  expect({ exitCode, handOff }).toEqual({ exitCode: 0, handOff: '' })
  expect(steps.map(({ tier, escalations }) => [tier, escalations])).toEqual([
    [1, ['jellyfin: no answer for 5 minutes']],
    [2, ['jellyfin: the disk is full']],
    [3, []],
  ])
  const [, second, third] = asked()
  expect(appended(second!)).toContain('<handoff from="tier 1">')
  expect(appended(second!)).toContain('ESCALATE: jellyfin: no answer for 5 minutes\n</handoff>')
  expect(appended(second!)).toContain('- [behavior] Answers 302 when healthy')
  expect(appended(third!)).toContain('<handoff from="tier 2">\nIt hangs.')
  expect(appended(third!)).not.toContain('no answer for 5 minutes')
  const ids = steps.map(({ session }) => session)
  const byTier = (a: { tier: number | null }, b: { tier: number | null }) => a.tier! - b.tier!
  expect((await sessions()).sort(byTier)).toMatchObject(
    [1, 2, 3].map((tier, i) => ({ id: ids[i], tier, project: 'home' })),
  )
  const stored = (await memories(...HOME)).sort(byTier)
  expect(stored).toMatchObject([1, 2, 3].map((tier, i) => ({ tier, session: ids[i], layer: 'project' })))
  for (const { createdAt, updatedAt } of stored) {
    for (const time of [createdAt, updatedAt]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
})

it('with the store down the session runs all the same, and a wrong tier or a missing file is refused', async () => {
  const { report, call, folder, asked } = scriptedAgents({ any: [{ say: '[MEMORY:behavior] The disk is slow' }] })
  mkdirSync(join(folder, '.nokosu/memory.db'), { recursive: true })
  const { steps } = await report<TierReport>(...TIER(1))
  expect(steps).toMatchObject([{ exitCode: 0, shown: 0, spooled: 1 }])
  expect(appended(asked()[0]!)).toContain('## Environment')
  expect(await call('tier', '4', ...HOME)).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1 to 3') })
  expect(await call('tier', '1', '--project', '')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('projectId'),
  })
  expect((await call(...TIER(2), '--handoff', join(folder, 'nothing.md'))).code).toBe(2)
  expect(asked()).toHaveLength(1)
})
