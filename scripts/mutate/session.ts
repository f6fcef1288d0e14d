/**
 * A persistent Vitest in a separate process: `node session.ts FOLDER PLAN`, where FOLDER is an instrumented copy of the tree. It runs
 * all tests once and records what they reach, or tries the mutations that it receives.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'
import type { Plan, Trial, Verdict } from './plan.ts'

const [root = '', planFile = '', record] = process.argv.slice(2)
process.env.NOKOSU_MUTATE = planFile
const isRecording = record !== undefined
const vitest = await createVitest('test', {
  root,
  config: join(root, 'scripts/mutate/vitest.config.ts'),
  watch: false,
  reporters: [{}],
  ...(isRecording ? { maxWorkers: '100%' } : { bail: 1, maxWorkers: 1 }),
})
await vitest.standalone()

function writePlan(active: number | null): void {
  writeFileSync(planFile, JSON.stringify({ root, active, record: record ?? null } satisfies Plan))
}

async function tryOne({ id, files }: Trial): Promise<Verdict> {
  writePlan(id)
  // It keeps results of earlier runs, including files that this run does not reach.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const paths = files.map(({ file }) => join(root, file))
  Object.assign(globalThis, { mutantOrder: paths })
  const [project] = vitest.projects
  const specifications = files.map(({ tests }, i) => project!.createSpecification(paths[i]!, { testNames: tests }))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const [first] = failuresOf(testModules)
  return { id, by: first ?? (unhandledErrors.length > 0 ? String(unhandledErrors[0]) : null) }
}

function failuresOf(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) => {
    const failed = [...module.children.allTests('failed')].map((test) => `${module.relativeModuleId}: ${test.fullName}`)
    const broken = module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`)
    return [...failed, ...broken]
  })
}

if (isRecording) {
  writePlan(null)
  const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications())
  const failures = failuresOf(testModules)
  await vitest.close()
  for (const failure of failures) console.error(`left out, because it fails without any mistake: ${failure}`)
  process.exit(0)
}
process.on('message', (trial: Trial) => {
  tryOne(trial).then(
    (verdict) => process.send!(verdict),
    (error) => process.send!({ id: trial.id, by: `its tests could not be run: ${error}` } satisfies Verdict),
  )
})
// Including the worker with the endless loop.
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
process.send!('ready')
