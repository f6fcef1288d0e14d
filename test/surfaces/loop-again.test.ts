import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { LoopReport } from '../../src/agents/loop.ts'
import { finish, startCli } from './run-cli.ts'
import { scriptedAgents, type Turn } from './scripted-agent.ts'

const submit = (notes: string): Turn => ({ say: `NOTES: ${notes}\nDECISION: SUBMIT` })
const decide = (word: string, notes: string): Turn => ({ say: `NOTES: ${notes}\nDECISION: ${word}` })
const T1 = { id: 'T1', title: 'Retry payments', section: 'checkout' }
const T2 = { id: 'T2', title: 'Retry refunds', section: 'checkout' }

function loopSpace(script: Record<string, Turn[]>, ...tasks: object[]) {
  const space = scriptedAgents(script)
  const file = join(space.folder, 'tasks.json')
  const write = (...list: object[]) => writeFileSync(file, JSON.stringify(list))
  write(...tasks)
  const args = ['loop', '--project', 'shop', '--tasks', file]
  const loop = (...more: string[]) => space.report<LoopReport>(...args, ...more)
  const kept = () => join(space.folder, '.nokosu/loops')
  return { ...space, args, loop, write, kept }
}

const rolesOf = ({ tasks }: LoopReport) => tasks.flatMap(({ steps }) => steps.map(({ role }) => role))

it('a loop that Ctrl-C stopped after two rejections goes on where it was, and says so', async () => {
  const space = loopSpace({}, T1, T2)
  const { folder, work, env, perform, call, asked, args } = space
  perform({
    nori: [submit('First try'), submit('Second try'), submit('Third try')],
    koji: [decide('REJECT', 'No limit'), decide('REJECT', 'No test'), { run: 'touch ../waits; sleep 30' }],
    miso: [decide('guide_coder', 'Test it with a clock')],
  })
  const flags = ['--workspace', work, '--extract', 'off', '--', space.program, '-p', '{prompt}']
  const child = startCli([...args, ...flags], { cwd: folder, env })
  child.stdin!.end()
  const ended = finish(child)
  await vi.waitUntil(() => existsSync(join(folder, 'waits')), { timeout: 240_000 })
  child.kill('SIGINT')
  const stopped = await ended
  expect(stopped.code).toBe(130)
  expect(stopped.stdout).toContain('T1: stopped. Run the loop again to resume there.')

  const before = asked().length
  perform({
    nori: [submit('Refunds too')],
    koji: [decide('APPROVE', 'It is tested'), decide('APPROVE', 'Good, all of it')],
  })
  const again = await call(...args)
  expect(again.code).toBe(0)
  expect(again.stderr).toContain(
    '== T1: resumes with the review of round 3, after 2 rejection(s); --from-start starts over',
  )
  const [review] = asked().slice(before)
  expect(review!.agent).toBe('koji')
  for (const text of ['Third try', 'First try', 'No limit', 'Second try', 'No test', '## Coordinator (guide_coder)']) {
    expect(review!.prompt).toContain(text)
  }
  expect(again.stdout).toMatch(/^T1 +checkout +approved +2 +1 +approval$/m)

  perform({})
  const third = await call(...args)
  expect(third.code).toBe(0)
  expect(third.stderr).toMatch(/== T1: already approved, \S+Z; --from-start does it again\n== T2: already approved/)
  expect(third.stdout).toMatch(/^T1 +checkout +approved earlier +2 +0/m)
})

it('--from-start, and a task that was rewritten, begin anew; approval of the others stays', async () => {
  const well = () => ({ nori: [submit('Payments again')], koji: [decide('APPROVE', 'The limit holds')] })
  const { loop, perform, write, asked } = loopSpace(well(), T1)
  await loop()
  perform(well())
  const changed = { ...T1, description: 'At most three times' }
  write(changed)
  expect(rolesOf(await loop())).toEqual(['coder', 'reviewer'])
  expect(asked().at(-2)!.prompt).not.toContain('## Earlier rounds')
  expect(rolesOf(await loop())).toEqual([])
  perform(well())
  expect(rolesOf(await loop('--from-start'))).toEqual(['coder', 'reviewer'])
  perform(well())
  write(changed, T2)
  const { tasks } = await loop()
  expect(tasks.map(({ task, steps, earlierRounds }) => [task, steps.length, earlierRounds])).toEqual([
    ['T1', 0, 1],
    ['T2', 2, 0],
  ])
})

it('a rejected task gets its cycles again, an unclear one asks the same agent, a disputed one the coder', async () => {
  const { loop, perform, asked } = loopSpace({ nori: [submit('First try')], koji: [decide('REJECT', 'No limit')] }, T1)
  expect(await loop('--cycles', '1')).toMatchObject({ exitCode: 10 })
  perform({ nori: [submit('Second try')], koji: [{ say: 'Hm.' }, { say: 'Hm.' }] })
  expect(await loop('--cycles', '1')).toMatchObject({ exitCode: 14, tasks: [{ rejections: 1, earlierRounds: 1 }] })
  perform({ koji: [decide('DISPUTE', 'Nobody wants a limit')] })
  expect(rolesOf(await loop())).toEqual(['reviewer'])
  perform({ nori: [submit('Third try')], koji: [decide('APPROVE', 'Agreed, it is gone')] })
  expect(await loop()).toMatchObject({ exitCode: 0, tasks: [{ outcome: 'approved', earlierRounds: 2 }] })
  expect(asked().at(-1)!.prompt).toContain('<handoff from="the reviewer, DISPUTE">\nNobody wants a limit')
})

it('what is kept is private, has no secrets, and is of no use to other projects; switched-off memory keeps nothing', async () => {
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const script = { nori: [submit(`Used ${secret}`)], koji: [decide('REJECT', 'No limit at all')] }
  const { loop, perform, kept, folder, args, report } = loopSpace(script, T1)
  await loop('--cycles', '1')
  const [file] = readdirSync(kept())
  expect(readFileSync(join(kept(), file!), 'utf8')).not.toContain(secret)
  expect(statSync(join(kept(), file!)).mode & 0o777).toBe(0o600)
  perform(script)
  const other = [...args.slice(0, 2), 'other', ...args.slice(3)]
  expect(rolesOf(await report<LoopReport>(...other, '--cycles', '1'))).toEqual(['coder', 'reviewer'])
  writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify({ memory: { enabled: false } }))
  perform(script)
  expect(await loop('--cycles', '1', '--from-start')).toMatchObject({ tasks: [{ earlierRounds: 0 }] })
  expect(readdirSync(kept())).toHaveLength(2)
})
