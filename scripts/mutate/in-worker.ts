/** Setup of every test file during mutation runs: activates one mutation, or records which tests reach which. */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeEach, type TestContext } from 'vitest'
import type { Plan, Reached } from './plan.ts'

/** More evaluations of one mutation in one test mean an endless loop. */
const MOST_EVALUATIONS = 5_000_000

const plan: Plan = JSON.parse(readFileSync(process.env.NOKOSU_MUTATE!, 'utf8'))
const hits = new Set<number>()
let evaluations = 0

Object.assign(globalThis, {
  __mutant: (id: number) => {
    if (plan.active === null) hits.add(id)
    if (id !== plan.active) return false
    if (++evaluations > MOST_EVALUATIONS) throw new Error('The mistake makes a loop that does not end.')
    return true
  },
  __near: (...ids: number[]) => {
    if (plan.active === null) for (const id of ids) hits.add(id)
  },
})

const reached: Reached = { file: '', always: [], tests: [] }

function take(): number[] {
  const taken = [...hits]
  hits.clear()
  return taken
}

beforeEach(() => {
  evaluations = 0
  reached.always.push(...take())
})

// CPU time, so that the load of the machine does not decide how many tests run.
let started = process.cpuUsage()
beforeEach(() => {
  started = process.cpuUsage()
})

afterEach(({ task }: TestContext) => {
  reached.file = relative(plan.root, task.file.filepath)
  const ids = take()
  // A test that already fails would seem to catch everything.
  if (task.result?.state === 'fail') return
  const { user, system } = process.cpuUsage(started)
  reached.tests.push({ name: fullName(task), ms: (user + system) / 1000, ids })
})

afterAll(() => {
  if (plan.record !== null && reached.tests.length > 0) appendFileSync(plan.record, `${JSON.stringify(reached)}\n`)
})

function fullName(task: TestContext['task']): string {
  const names = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) names.unshift(suite.name)
  return names.join(' > ')
}
