import type { Memory } from '../../../model/memory.ts'
import { ACTIVE_CONFIDENCE, isExpired } from '../../../model/memory.ts'
import { formatAge, formatUntil } from '../format.ts'
import { Stored } from './stored.tsx'

export function Time({ at, now }: { at: string; now: Date }) {
  const isAhead = Date.parse(at) > now.getTime()
  return (
    <time datetime={at} title={at}>
      {isAhead ? formatUntil(at, now) : formatAge(at, now)}
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

export function Category({ name }: { name: string }) {
  return <span class={`chip category ${name}`}>{name.replace('_', ' ')}</span>
}

export function Service({ name }: { name: string | null }) {
  return name === null ? (
    <span class="chip general">general</span>
  ) : (
    <span class="chip">
      <Stored text={name} />
    </span>
  )
}

export type Standing = 'active' | 'inactive' | 'held' | 'expired' | 'flagged'

/** How a memory stands: whether agents are shown it, and if not, why. */
function standingOf(memory: Memory, now: Date): Standing {
  if (memory.trust === 'quarantined') return 'held'
  if (!memory.active) return 'inactive'
  if (isExpired(memory, now)) return 'expired'
  return memory.trust === 'flagged' ? 'flagged' : 'active'
}

const STANDINGS: Record<Standing, string> = {
  active: 'active',
  inactive: 'inactive',
  held: 'held',
  expired: 'expired',
  flagged: 'unverified',
}

export function State({ memory, now }: { memory: Memory; now: Date }) {
  const standing = standingOf(memory, now)
  return <span class={`state ${standing}`}>{STANDINGS[standing]}</span>
}

/** Whether agents are shown it. */
export function isShown(memory: Memory, now: Date): boolean {
  const standing = standingOf(memory, now)
  return standing === 'active' || standing === 'flagged'
}
