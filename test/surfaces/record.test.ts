import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Outcome, Refusal } from '../../src/model/outcome.ts'
import { workspace } from './run-cli.ts'

const EVENT = { type: 'rejection', projectId: 'shop', taskId: 'T7', cycle: 2, notes: 'The retry has no upper limit' }

it('[C04] an event on standard input or in a file becomes a memory of its task and session, once', async () => {
  const { json, run, folder } = workspace()
  type Recorded = { outcomes: Outcome[]; refusals: Refusal[] }
  const first = await json<Recorded>(['record', '--session', 'run-1'], { input: JSON.stringify(EVENT) })
  expect(first.outcomes).toMatchObject([
    { kind: 'insert', memory: { layer: 'task', category: 'rejection', session: 'run-1' } },
  ])
  const file = join(folder, 'event.json')
  writeFileSync(file, JSON.stringify(EVENT))
  expect((await json<Recorded>(['record', file, '--session', 'run-1'])).outcomes).toMatchObject([{ kind: 'duplicate' }])
  expect((await run(['record', file])).stderr).toContain('1 memory stored.')
})

it('what is no event is refused, naming the field', async () => {
  const { failure } = workspace()
  expect(await failure(['record'], { input: 'Rejected!' })).toMatchObject({ exit: 2, details: { field: 'event' } })
  const input = JSON.stringify({ ...EVENT, cycle: 0 })
  expect(await failure(['record'], { input })).toMatchObject({ exit: 2, code: 'INVALID_INPUT', message: /cycle/ })
})
