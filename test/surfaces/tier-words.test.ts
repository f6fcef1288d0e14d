import { expect, it } from 'vitest'
import type { TierReport } from '../../src/agents/tier.ts'
import { node } from './run-agent.ts'
import { runCli } from './run-cli.ts'
import { type Asked, scriptedAgents } from './scripted-agent.ts'

const TIER = (tier: number) => ['tier', String(tier), '--project', 'home'] as const
const HOME = ['--project', 'home'] as const

/** The one argument that ends the system prompt. */
function appended({ args }: Asked): string {
  const flags = args.filter((word) => word.startsWith('--append-system-prompt'))
  expect(flags).toEqual(['--append-system-prompt'])
  return args[args.indexOf('--append-system-prompt') + 1]!
}

it('[E12] without memories and without a hand-off neither has a section', async () => {
  const { spawned, asked } = scriptedAgents({ any: [{ say: 'ALL CLEAR', exit: 4 }] })
  expect(await spawned(...TIER(1))).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/Tier 1: failed \(exit code 4\)\. .*\n$/),
  })
  expect(appended(asked()[0]!)).toMatch(/^## Environment\n\n(?:- (?:Host|Time|Tier): .+\n?){3}$/)
})

it('[E36] the prompt of every tier teaches how to record memories', async () => {
  const { report, asked } = scriptedAgents({ any: [{}, {}, {}] })
  for (const tier of [1, 2, 3]) await report(...TIER(tier))
  for (const [position, name] of ['observe', 'investigate', 'remediate'].entries()) {
    const { prompt } = asked()[position]!
    expect(prompt).toContain(`# Tier ${position + 1}: ${name}`)
    expect(prompt).toContain('## Memory Recording')
    expect(prompt).toContain('[MEMORY:category:service] observation')
  }
})

it('without --escalate the next tier is left to the caller, who gets the hand-off', async () => {
  const { report, call, perform, asked } = scriptedAgents({ any: [{ say: 'ESCALATE: caddy: down' }] })
  const { steps, handOff, exitCode, outcome } = await report<TierReport>(...TIER(1))
  expect(steps).toHaveLength(1)
  expect({ exitCode, outcome }).toEqual({ exitCode: 13, outcome: 'escalates' })
  expect(handOff).toBe('<handoff from="tier 1">\nESCALATE: caddy: down\n</handoff>')
  perform({ any: [{ say: 'Nothing to do. I would not ESCALATE: this' }, { say: 'ESCALATE: again', exit: 3 }] })
  const unclear = await report<TierReport>(...TIER(1), '--escalate')
  expect(unclear).toMatchObject({ exitCode: 14, outcome: 'unclear', handOff: '', steps: [{ escalations: [] }] })
  const failed = await call(...TIER(1), '--escalate')
  expect(failed).toMatchObject({ code: 3, stdout: expect.stringMatching(/\nTier 1: failed \(exit code 3\)\. .*\n$/) })
  expect(asked()).toHaveLength(3)
})

it.each([
  [
    3,
    'I gave up.\nNEEDS A PERSON: the disk is broken\n[MEMORY:behavior] It clicks',
    12,
    /needs a person .*\nNEEDS A PERSON: the disk is broken\n$/s,
  ],
  [3, 'ESCALATE: jellyfin: the disk is broken', 13, /escalates .* No tier is left: a person has to look at it/],
  [2, 'ESCALATE: jellyfin: disk\nThat is all.', 13, /escalates .* Continue with 'nokosu tier 3 --handoff FILE'/],
  [2, 'I looked around.', 14, /unclear .* did not say how it ended/],
  [1, 'ALL CLEAR\n[MEMORY:behavior] Quiet', 0, /Tier 1: all clear \(exit code 0\)\.\n$/],
] as const)('tier %i that says %j ends with %i, and a line says what to do next', async (tier, say, code, line) => {
  const { call } = scriptedAgents({ any: [{ say }] })
  expect(await call(...TIER(tier))).toMatchObject({ code, stdout: expect.stringMatching(line) })
})

it('a command that is not Claude Code finds all of it in its prompt and NOKOSU_CONTEXT', async () => {
  const { json, folder, work, env } = scriptedAgents({})
  await json(['add', ...HOME, '--category', 'timing', 'Backups run at 3'])
  const script =
    'console.log("ESCALATE: " + Buffer.from(JSON.stringify([process.argv[1], process.env.NOKOSU_CONTEXT])).toString("base64"))'
  const args = [...TIER(1), '--workspace', work, '--services', 'caddy', '--json', ...node(script), '{prompt}']
  const { code, stdout } = await runCli(args, { cwd: folder, env })
  expect(code).toBe(13)
  const [prompt, context] = JSON.parse(
    Buffer.from((JSON.parse(stdout) as TierReport).steps[0]!.escalations[0]!, 'base64').toString(),
  )
  expect(prompt).toMatch(/^# Tier 1: observe.*## Environment.*- Services: caddy$/s)
  expect(context).toContain('- [timing] Backups run at 3')
})
