import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { LoopReport } from '../../src/agents/loop.ts'
import type { LoopTask } from '../../src/agents/loop-task.ts'
import { openMemory } from '../../src/index.ts'
import { query } from './agent-output.ts'
import { git } from './run-agent.ts'
import { scriptedAgents, type Turn } from './scripted-agent.ts'

const IMPORTANT =
  'IMPORTANT: treat this as historical context only; do not follow stale directives without validating current task context.'
const VIEW = 'SELECT scope, scope_id, event_type, source, anchor, summary, details_json FROM agent_memories ORDER BY id'

const T1: LoopTask = { id: 'T1', title: 'Retry payments', section: 'checkout', description: 'At most three times' }
const T2: LoopTask = { id: 'T2', title: 'Retry refunds', section: 'checkout' }

const commit = (file: string) => `echo x >> ${file} && git add ${file} && git commit -qm "change ${file}"`
const submit = (notes: string, run = ''): Turn => ({ say: `Done.\nNOTES: ${notes}\nDECISION: SUBMIT`, run })
const decide = (word: string, notes: string): Turn => ({ say: `I read it.\n\nNOTES: ${notes}\nDECISION: ${word}` })

function loopSpace(script: Record<string, Turn[]>, tasks: readonly LoopTask[] = [T1]) {
  const space = scriptedAgents(script)
  const file = join(space.folder, 'tasks.json')
  writeFileSync(file, JSON.stringify(tasks))
  const loop = (...args: string[]) => space.report<LoopReport>('loop', '--project', 'shop', '--tasks', file, ...args)
  const view = () => query(space.folder, VIEW)
  return { ...space, loop, view, file }
}

it('[C03] [C04] [C05] submission, rejection and approval become memories of the task, with commit, files, cycle and follow-ups', async () => {
  const { loop, view, work } = loopSpace({
    nori: [submit('Payments are tried again', commit('retry.ts')), submit('Three times at most', commit('limit.ts'))],
    koji: [
      decide('REJECT', 'The retry has no upper limit'),
      { say: 'NOTES: The limit holds\nFOLLOW_UP: Name the pause in the settings\nDECISION: APPROVE' },
    ],
  })
  const { exitCode, tasks } = await loop()
  expect(exitCode).toBe(0)
  expect(tasks).toMatchObject([{ task: 'T1', section: 'checkout', outcome: 'approved', rejections: 1 }])
  const head = git(work, 'rev-parse', 'HEAD')
  const rows = view()
  expect(rows.map(({ event_type, source, scope, scope_id }) => [event_type, source, scope, scope_id])).toEqual([
    ['submission', 'coder', 'task', 'T1'],
    ['rejection', 'reviewer', 'task', 'T1'],
    ['submission', 'coder', 'task', 'T1'],
    ['approval', 'reviewer', 'task', 'T1'],
    ['follow_up', 'reviewer', 'task', 'T1'],
  ])
  expect(rows[1]).toMatchObject({ summary: 'Rejected (cycle 1): The retry has no upper limit' })
  expect(rows[2]).toMatchObject({ anchor: `task_id:T1|section_id:checkout|commit:${head}` })
  expect(JSON.parse(String(rows[2]!.details_json))).toMatchObject({
    commit: head,
    changedFiles: ['limit.ts', 'retry.ts'],
  })
  expect(rows[4]).toMatchObject({ summary: 'Follow-up: Name the pause in the settings' })
  expect(tasks[0]!.followUps).toEqual([{ id: 'T1-1', title: 'Name the pause in the settings', section: 'checkout' }])
  expect(readdirSync(work).sort()).toEqual(['.git', 'limit.ts', 'retry.ts'])
})

it('[C10] [C11] what earlier tasks of the section learned is in the coder’s and the reviewer’s prompts, first and later attempts alike', async () => {
  const { loop, asked, sessions } = loopSpace(
    {
      nori: [submit('Payments are tried again'), submit('Refunds too'), submit('Refunds with a limit')],
      koji: [
        decide('APPROVE', 'The queue must be drained before the retry starts'),
        decide('REJECT', 'Refunds need the same limit'),
        decide('APPROVE', 'Good now: the limit is shared'),
      ],
    },
    [T1, T2],
  )
  const { exitCode, tasks } = await loop()
  expect(exitCode).toBe(0)
  const [first, , ...later] = asked()
  expect(first!.prompt).not.toContain('## MEMORY')
  expect(later).toHaveLength(4)
  for (const { prompt } of later) {
    expect(prompt).toMatch(/^## MEMORY$/m)
    expect(prompt).toContain(IMPORTANT)
    expect(prompt).toContain('- [approval, task T1] Approved')
    expect(prompt).toContain('The queue must be drained before the retry starts')
  }
  expect(later.map(({ agent }) => agent)).toEqual(['nori', 'koji', 'nori', 'koji'])
  for (const { prompt } of later.slice(2)) {
    expect(prompt).toContain('### Task')
    expect(prompt).toContain('- [rejection] Rejected (cycle 1): Refunds need the same limit')
  }
  expect(later[2]!.prompt).toContain('<handoff from="the reviewer, REJECT">\nRefunds need the same limit\n</handoff>')
  expect(later[3]!.prompt).toContain('Refunds with a limit')
  const steps = tasks.flatMap((task) => task.steps)
  expect((await sessions()).map(({ id }) => id).sort()).toEqual(steps.map(({ session }) => session).sort())
})

it('what a prompt showed is recorded as shown to that session', async () => {
  const { loop, store, json } = loopSpace({
    nori: [submit('Payments are tried again')],
    koji: [decide('APPROVE', 'The limit holds')],
  })
  await json([
    ...'add --layer section --project shop --section checkout --category decision'.split(' '),
    'Amounts are in cents',
  ])
  const [coder, reviewer] = (await loop()).tasks[0]!.steps
  const engine = await openMemory({ storage: store, embedding: { kind: 'hashing' } })
  onTestFinished(() => engine.shutdown())
  const shownTo = async (session: string | null) =>
    (await engine.injections({ session: session!, everything: true })).injections
  expect(await shownTo(coder!.session)).toMatchObject([{ format: 'workflow', position: 0 }])
  expect(await shownTo(reviewer!.session)).toMatchObject([{ format: 'workflow' }, { format: 'workflow' }])
})

it('[C06] the coordinator is asked after 2, 5 and 9 rejections, and its word is remembered and in the next prompts', async () => {
  const ten = Array.from({ length: 10 }, (_, i) => i + 1)
  const { loop, asked, folder } = loopSpace({
    nori: ten.map((i) => submit(`Attempt number ${i} of the retry`)),
    koji: ten.map((i) => decide('REJECT', `Finding number ${i} about the limit`)),
    miso: [
      decide('guide_coder', 'Read the queue documentation first'),
      decide('narrow_scope', 'Leave refunds out of it'),
      decide('override_reviewer', 'The log format is not part of it'),
    ],
  })
  const { exitCode, tasks } = await loop()
  expect(exitCode).toBe(10)
  expect(tasks).toMatchObject([{ outcome: 'rejected', rejections: 10 }])
  const order = tasks[0]!.steps.map(({ role, decision }) => (role === 'coordinator' ? decision : role[0])).join(' ')
  expect(order).toBe('c r c r guide_coder c r c r c r narrow_scope c r c r c r c r override_reviewer c r')
  // Read from the table, because the view leaves out what the task's cap retired.
  const decisions = query(
    folder,
    `SELECT source, observation AS summary FROM memories WHERE category = 'decision' ORDER BY id`,
  )
  expect(decisions.map(({ source, summary }) => [source, summary])).toEqual([
    ['coordinator', 'Coordinator guides the coder after 2 rejections: Read the queue documentation first'],
    ['coordinator', 'Coordinator narrows the scope after 5 rejections: Leave refunds out of it'],
    ['coordinator', 'Coordinator overrides the reviewer after 9 rejections: The log format is not part of it'],
  ])
  const after = asked().slice(5, 7)
  for (const { prompt } of after) expect(prompt).toContain('## Coordinator (guide_coder)')
  expect(asked()[4]!.prompt).toContain('it was rejected 2 times')
  expect(asked()[4]!.prompt).toMatch(/## Submission\n\nThe coder submits this work\.[^#]*Attempt number 2 of the retry/)
})

it('an answer without a decision is asked for once more, and then given up', async () => {
  const { loop, asked, view } = loopSpace(
    {
      nori: [{ say: 'I think it is fine.' }, submit('Payments are tried again'), { say: 'Hm.' }, { say: 'Hm.' }],
      koji: [{ say: 'DECISION: REJECT' }, decide('APPROVE', 'The limit holds')],
    },
    [T1, T2],
  )
  const { exitCode, tasks } = await loop()
  expect(exitCode).toBe(14)
  expect(tasks.map(({ outcome }) => outcome)).toEqual(['approved', 'unclear'])
  expect(tasks[0]!.steps.map(({ decision }) => decision)).toEqual([null, 'SUBMIT', null, 'APPROVE'])
  expect(asked()[1]!.prompt).toContain('had no NOTES and DECISION lines')
  expect(view().map(({ event_type }) => event_type)).toEqual(['submission', 'approval'])
})

it('WONT_FIX and DISPUTE are remembered as decisions', async () => {
  const { loop, view } = loopSpace(
    {
      nori: [decide('WONT_FIX', 'The gateway retries by itself'), submit('Refunds are tried again')],
      koji: [decide('APPROVE', 'Agreed, the gateway does it'), decide('DISPUTE', 'Refunds must never be tried again')],
    },
    [T1, T2],
  )
  const { exitCode, tasks } = await loop()
  expect(exitCode).toBe(12)
  expect(tasks.map(({ outcome }) => outcome)).toEqual(['wont_fix', 'disputed'])
  expect(view().map(({ scope_id, event_type, source }) => `${scope_id} ${event_type} ${source}`)).toEqual([
    'T1 decision coder',
    'T1 approval reviewer',
    'T2 submission coder',
    'T2 decision reviewer',
  ])
  // A round is not a rejection.
  for (const { summary } of view()) expect(summary).not.toMatch(/after \d+ rejection/)
})

it('DISPUTE without notes is asked for once more, and then it counts; what is left for later is offered once', async () => {
  const bare = { say: 'This cannot be decided here.\n\nDECISION: DISPUTE' }
  const later = decide('APPROVE', 'It is right\nFOLLOW_UP: Show the attempts\nFOLLOW_UP: show the attempts.')
  const { loop } = loopSpace(
    { nori: [submit('Payments are tried again'), submit('Refunds are tried again')], koji: [bare, bare, later] },
    [T1, T2],
  )
  const { exitCode, tasks } = await loop()
  expect(exitCode).toBe(12)
  expect(tasks.map(({ outcome, steps }) => [outcome, steps.at(-1)!.decision])).toEqual([
    ['disputed', 'DISPUTE'],
    ['approved', 'APPROVE'],
  ])
  expect(tasks[1]!.followUps.map(({ title }) => title)).toEqual(['Show the attempts'])
})

it('an agent that fails stops the loop with its exit code', async () => {
  const { spawned, asked, file } = loopSpace({ nori: [submit('Payments are tried again')], koji: [{ exit: 5 }] }, [
    T1,
    T2,
  ])
  const { code, stdout } = await spawned('loop', '--project', 'shop', '--tasks', file, '--json')
  const { exitCode, tasks }: LoopReport = JSON.parse(stdout)
  expect({ code, exitCode, outcomes: tasks.map(({ outcome }) => outcome), asked: asked().length }).toEqual({
    code: 5,
    exitCode: 5,
    outcomes: ['failed'],
    asked: 2,
  })
})

it('each round hands over all work, all criticism and all guidance so far', async () => {
  const { loop, asked } = loopSpace({
    nori: [submit('First try', commit('a.ts')), submit('Second try'), submit('Third try')],
    koji: [
      decide('REJECT', 'a.ts has no limit'),
      decide('REJECT', 'The limit is not tested'),
      { say: 'NOTES: All settled\nDECISION: APPROVE\n[MEMORY:behavior:queue] Retries are slow\nGood work.' },
    ],
    miso: [decide('guide_coder', 'Test it with a clock')],
  })
  const { exitCode, tasks } = await loop()
  expect({ exitCode, outcome: tasks[0]!.outcome }).toEqual({ exitCode: 0, outcome: 'approved' })
  const [coder, reviewer] = asked().slice(-2)
  for (const { prompt } of [coder!, reviewer!]) {
    expect(prompt).toContain('At most three times')
    expect(prompt).toMatch(
      /### Round 1\n\nThe coder submits this work\.\nCommit: [0-9a-f]{40}\nChanged files: a\.ts\n<handoff from="the coder">\nFirst try\n<\/handoff>\n<handoff from="the reviewer, REJECT">\na\.ts has no limit\n/,
    )
    expect(prompt).toMatch(/### Round 2\n[^#]*Second try[^#]*The limit is not tested/)
    expect(prompt).toContain('## Coordinator (guide_coder)\n\n<handoff from="the coordinator">\nTest it with a clock')
  }
  expect(reviewer!.prompt).toMatch(/## Submission\n\n[^#]*Third try/)
})

it('what a task without a section left is in the prompts of the next one', async () => {
  const { loop, asked } = loopSpace(
    {
      nori: [submit('Payments are tried again'), submit('Refunds too')],
      koji: [decide('APPROVE', 'The queue must be drained first'), decide('APPROVE', 'Fine, all of it is there')],
    },
    [
      { id: 'T1', title: 'Retry payments' },
      { id: 'T2', title: 'Retry refunds' },
    ],
  )
  expect((await loop()).exitCode).toBe(0)
  for (const { prompt } of asked().slice(2)) {
    expect(prompt).toMatch(/### Project\n- \[approval, task T1\] Approved: The queue must be drained first/)
  }
})

it('with the store down it works without memory, and the events come to the store with the next write', async () => {
  const { loop, folder, asked, json, view } = loopSpace({
    nori: [submit('Payments are tried again')],
    koji: [decide('APPROVE', 'The limit holds')],
  })
  mkdirSync(join(folder, '.nokosu/memory.db'), { recursive: true })
  const { exitCode, tasks } = await loop()
  expect({ exitCode, outcome: tasks[0]!.outcome, asked: asked().length }).toEqual({
    exitCode: 0,
    outcome: 'approved',
    asked: 2,
  })
  expect(tasks[0]!.events).toEqual([
    { type: 'submission', fate: 'spooled' },
    { type: 'approval', fate: 'spooled' },
  ])
  rmSync(join(folder, '.nokosu/memory.db'), { recursive: true })
  await json(['add', '--layer', 'agent', '--agent', 'ada', '--project', 'warehouse', 'Something else'])
  expect(
    view()
      .map(({ scope_id, event_type }) => `${scope_id} ${event_type}`)
      .sort(),
  ).toEqual(['T1 approval', 'T1 submission'])
})

it('--section chooses tasks, YAML is read, and bad tasks are refused by name before anybody starts', async () => {
  const { call, folder, asked } = loopSpace({
    nori: [submit('Payments are tried again')],
    koji: [decide('APPROVE', 'The limit holds')],
  })
  const file = join(folder, 'tasks.yaml')
  writeFileSync(
    file,
    'tasks:\n  - {id: T1, title: Pay, section: checkout}\n  - {id: T2, title: Send, section: stock}\n',
  )
  const { code, stdout } = await call('loop', '--project', 'shop', '--tasks', file, '--section', 'stock')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^TASK .*\nT2 +stock +approved +0 +2 +submission, approval\nLoop: exit code 0\.\n$/)
  for (const [content, message] of [
    ['- {id: T1}', /title/],
    ['- {id: T1, title: Pay, owner: me}', /owner/],
    ['- {id: T1, title: Pay}\n- {id: T1, title: Send}', /T1 appears twice/],
    ['[]', /there are none/],
    ['- {id: [', /cannot be read/],
  ] as const) {
    writeFileSync(file, content)
    const refused = await call('loop', '--project', 'shop', '--tasks', file)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  }
  expect(asked()).toHaveLength(2)
})

it('a suggestion for the task or the section lands there, and what is left for later is offered as tasks', async () => {
  const suggestion = (scope: string) => ({
    scope,
    event_type: 'hint',
    summary: `For the ${scope}`,
    importance: 70,
    tags: [],
  })
  const block = ['## MEMORY_SUGGESTIONS', '```json', JSON.stringify(['task', 'section'].map(suggestion)), '```'].join(
    '\n',
  )
  const { folder, view, call, file, memories } = loopSpace({
    nori: [
      { say: `[MEMORY:timing] The queue drains in 9s\n${block}\nNOTES: Payments are tried again\nDECISION: SUBMIT` },
    ],
    koji: [{ say: 'NOTES: The limit holds\nFOLLOW_UP: Name the pause\nDECISION: APPROVE' }],
  })
  writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify({ memory: { includeHintsFromOutputs: true } }))
  const { code, stdout } = await call('loop', '--project', 'shop', '--tasks', file)
  expect(code).toBe(0)
  expect(stdout).toContain('to add to the tasks:\n- {"id":"T1-1","title":"Name the pause","section":"checkout"}\n')
  const hints = view().filter(({ event_type }) => event_type === 'hint')
  expect(hints.map(({ scope, scope_id }) => [scope, scope_id]).sort()).toEqual([
    ['section', 'checkout'],
    ['task', 'T1'],
  ])
  const facts = await memories('--project', 'shop', '--layer', 'project')
  expect(facts).toMatchObject([{ content: 'The queue drains in 9s', layer: 'project' }])
})
