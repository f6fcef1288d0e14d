import { PROMPT } from '../../../engine/run-events.ts'
import type { JsonValue } from '../../../model/memory.ts'
import type { WorkflowEvent } from '../../../model/records.ts'
import { countMemories } from '../format.ts'
import { Stored } from './stored.tsx'

export function EventText({ event }: { event: WorkflowEvent }) {
  const { type, data } = event
  if (type === 'showing') {
    const left = listOf(data.omitted).length
    return (
      <>
        {countMemories(Number(data.shown))}
        {left === 0 ? '' : `; ${left} left out`}
      </>
    )
  }
  if (type === 'capture') return <>{captureLine(data)}</>
  if (type === PROMPT) return <Stored text={String(data.text)} />
  if (type === 'retraction')
    return <>A memory that it had been shown was retracted. The run is told at its next moment.</>
  if (typeof data.cycle === 'number') return <>cycle {data.cycle}</>
  const rest = Object.entries(data).filter(([, value]) => value !== null)
  return rest.length === 0 ? null : <Stored text={rest.map(([name, value]) => `${name} ${text(value)}`).join(', ')} />
}

const OUTCOMES: readonly [kind: string, name: string][] = [
  ['insert', 'new'],
  ['contradict', 'corrected'],
  ['reinforce', 'reinforced'],
  ['duplicate', 'known'],
  ['hold', 'held'],
  ['refuse', 'refused'],
]

/** `2 new, 1 reinforced, 1 refused`. */
function captureLine(data: WorkflowEvent['data']): string {
  const kinds = [
    ...listOf(data.outcomes).map((each) => isObject(each) && (each.held === true ? 'hold' : each.kind)),
    ...listOf(data.refusals).map(() => 'refuse'),
  ]
  const parts = OUTCOMES.flatMap(([kind, name]) => {
    const count = kinds.filter((each) => each === kind).length
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.join(', ') || 'nothing to remember'
}

export function isWarning({ type, data }: WorkflowEvent): boolean {
  return type === 'rejection' || (type === 'capture' && listOf(data.refusals).length > 0)
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

export function isObject(value: JsonValue | undefined): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
