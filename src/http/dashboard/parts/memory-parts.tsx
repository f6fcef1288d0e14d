import type { MemoryStanding, MemoryState } from '../../../engine/standings.ts'
import { isRetracted } from '../../../lifecycle/decisions.ts'
import { CATEGORY_TABLE } from '../../../model/category-table.ts'
import { REQUIRED_IDENTIFIER } from '../../../model/layer.ts'
import { ACTIVE_CONFIDENCE, isExpired, type Memory } from '../../../model/memory.ts'
import { formatAge, formatUntil } from '../format.ts'
import { memoryPath, sessionPath, type View } from '../view.ts'
import { Stored } from './stored.tsx'

export function Time({ at }: { at: string }) {
  const now = new Date()
  return (
    <time datetime={at} title={at}>
      {Date.parse(at) > now.getTime() ? formatUntil(at, now) : formatAge(at, now)}
    </time>
  )
}

/** The width is an attribute of SVG: the policy of the pages forbids inline styles. */
export function Bar({ part, width = 56, kind = '' }: { part: number; width?: number | string; kind?: string }) {
  const percent = `${Math.max(part > 0 ? 3 : 0, Math.round(100 * Math.min(1, part)))}%`
  return (
    <svg class="bar" width={width} height="7" aria-hidden="true">
      <rect class="track" width="100%" height="7" rx="3.5" />
      <rect class={`fill ${kind}`.trim()} width={percent} height="7" rx="3.5" />
    </svg>
  )
}

export function Confidence({ value, active = true }: { value: number; active?: boolean }) {
  const kind = active ? (value < ACTIVE_CONFIDENCE + 0.2 ? 'low' : '') : 'off'
  return (
    <span class="confidence">
      <span class="hidden-label">confidence</span>
      <Bar part={value} kind={kind} />
      {value.toFixed(2)}
    </span>
  )
}

export function Chip({ text, kind = '' }: { text: string; kind?: '' | 'good' | 'warn' | 'bad' | 'category' }) {
  return (
    <span class={`chip ${kind}`.trim()}>
      <Stored text={text} />
    </span>
  )
}

export function Category({ name }: { name: Memory['category'] }) {
  const colour = name in CATEGORY_TABLE ? CATEGORY_TABLE[name].colour : 'green'
  return <span class={`chip category ${colour}`}>{name.replace('_', ' ')}</span>
}

export function Service({ name }: { name: string | null }) {
  return name === null ? <span class="chip general">general</span> : <Chip text={name} />
}

/** The owner of a memory, for pages that show more than one project. */
export function Owner({ view, memory: { layer, identifiers } }: { view: View; memory: Memory }) {
  if (view.project !== null) return null
  const { projectId } = identifiers
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]] ?? ''
  const text = layer === 'project' ? owner : `${layer} ${owner}${projectId === undefined ? '' : ` in ${projectId}`}`
  return (
    <span class="owner soft" title={`${layer} ${owner}`}>
      <Stored text={text} />
    </span>
  )
}

const SESSION = /^session:(.+)$/su

/** Who made a change: a name or a run. */
export function By({ view, name }: { view: View; name: string }) {
  const id = SESSION.exec(name)?.[1]
  if (id === undefined) return <Stored text={name} />
  return (
    <a href={sessionPath(view, id)} title={id}>
      a run
    </a>
  )
}

export function MemoryLink({ view, memory, clamp = false }: { view: View; memory: Memory; clamp?: boolean }) {
  return (
    <a data-key="Enter" href={memoryPath(view, memory.id)}>
      <Stored class={clamp ? 'clamp' : ''} text={memory.content} />
    </a>
  )
}

function stateOf(memory: Memory, standing: MemoryStanding | undefined): MemoryState {
  if (standing !== undefined) return standing.state
  if (isRetracted(memory)) return 'retracted'
  if (memory.trust === 'quarantined') return 'held'
  if (!memory.active) return 'inactive'
  if (isExpired(memory, new Date())) return 'expired'
  return memory.trust === 'flagged' ? 'unverified' : 'active'
}

const STATE_TITLES: Record<MemoryState, string> = {
  active: 'Agents are shown it',
  unverified: 'Agents are shown it as unverified: the guard marked it',
  fading: 'Agents are shown it, but not for long: it is hidden soon unless a run confirms or uses it',
  disputed: 'Agents are shown it together with what contradicts it',
  corrected: 'Hidden from agents: its correction is shown in its place',
  held: 'Hidden from agents until somebody accepts it',
  inactive: 'Hidden from agents: its confidence is too low, or somebody deactivated it',
  expired: 'Hidden from agents: it has expired',
  retracted: 'Hidden from agents: it was wrong all along',
}

/** `standing` is what the engine derives from the memory and its contradictions. Without it, only the memory itself is used. */
export function State({ memory, standing }: { memory: Memory; standing?: MemoryStanding | undefined }) {
  const state = stateOf(memory, standing)
  return (
    <span class={`state ${state}`} title={STATE_TITLES[state]}>
      {state}
    </span>
  )
}

export function isShown(memory: Memory, standing?: MemoryStanding): boolean {
  return ['active', 'unverified', 'fading', 'disputed'].includes(stateOf(memory, standing))
}
