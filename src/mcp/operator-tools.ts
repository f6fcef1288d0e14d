import { z } from 'zod'
import { schemas } from '../engine/schemas.ts'
import type { Memory } from '../model/memory.ts'
import { shownSchema, toLine, toShown } from './shown.ts'
import { type Desk, tool } from './tool.ts'

const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false }
const { ids, as } = schemas.settle.input.shape
const { id, why } = schemas.retract.input.shape
const changed = z.strictObject({ memories: z.array(shownSchema) })

function tell(desk: Desk, did: string, memories: readonly Memory[]) {
  const shown = memories.map((memory) => toShown(memory, desk.now()))
  return { text: [did, ...shown.map((each) => toLine(each))].join('\n'), value: { memories: shown } }
}

export const undoTool = tool({
  name: 'memory_undo',
  title: 'Undo a decision',
  description: 'Undoes the last decision about a memory: a repetition, contradiction, settlement or retraction.',
  annotations,
  input: z.strictObject({ id }),
  output: changed,
  async run(desk, input) {
    const { memory, others, undone } = await (await desk.open('write')).undo(input.id)
    return tell(desk, `Undone: ${undone.map(({ kind }) => kind).join(', ')}`, [memory, ...others])
  },
})

export const settleTool = tool({
  name: 'memory_settle',
  title: 'Settle two memories',
  description: 'Settles how two memories relate: same, both-true, or that the first replaces the second.',
  annotations,
  input: z.strictObject({ ids, as }),
  output: changed,
  async run(desk, input) {
    const { memories } = await (await desk.open('write')).settle(input.ids, input.as)
    return tell(desk, `Settled: ${input.as}`, memories)
  },
})

export const retractTool = tool({
  name: 'memory_retract',
  title: 'Retract a memory',
  description: 'Withdraws what was wrong all along. Agents that were shown it are told why at their next moment.',
  annotations,
  input: z.strictObject({ id, why }),
  output: changed.extend({ runs: z.array(z.string()).describe('Sessions that were shown it') }),
  async run(desk, input) {
    const { memory, others, review, runs } = await (await desk.open('write')).retract(input.id, { why: input.why })
    const told = tell(desk, `Retracted. ${runs.length} runs were shown it.`, [memory, ...others, ...review])
    return { ...told, value: { ...told.value, runs: runs.map(({ session }) => session) } }
  },
})
