import type { Identifiers, Layer } from './layer.ts'

export const OPERATIONAL_CATEGORIES = ['timing', 'dependency', 'behavior', 'remediation', 'maintenance'] as const
export const WORKFLOW_CATEGORIES = ['submission', 'rejection', 'approval', 'decision', 'follow_up', 'hint'] as const
export const CATEGORIES = [...OPERATIONAL_CATEGORIES, ...WORKFLOW_CATEGORIES, 'learning'] as const

export type OperationalCategory = (typeof OPERATIONAL_CATEGORIES)[number]
export type WorkflowCategory = (typeof WORKFLOW_CATEGORIES)[number]
export type Category = (typeof CATEGORIES)[number]

export const SOURCES = ['extraction', 'manual', 'system', 'coder', 'reviewer', 'orchestrator', 'coordinator'] as const
export type Source = (typeof SOURCES)[number]

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }

/** 0 is an operator; 1 observes, 2 investigates, 3 remediates. */
export type Tier = 0 | 1 | 2 | 3

/** One observation that an agent, a workflow or a person left behind. Times are ISO 8601, UTC, with milliseconds. */
export interface Memory {
  /** ULID, monotonic within a process. */
  id: string
  content: string
  layer: Layer
  identifiers: Identifiers
  category: Category
  /** The service it is about; null is general. */
  service: string | null
  source: Source
  tags: string[]
  metadata: JsonObject
  /** A compact pointer such as `task_id:T7|commit:ab12cd`. */
  anchor: string | null
  /** 0 to 100. */
  importance: number
  /** 0 to 1, two decimals. */
  confidence: number
  active: boolean
  tier: Tier
  /** The session (run) that produced it. */
  session: string | null
  expiresAt: string | null
  lastRecalledAt: string | null
  recallCount: number
  createdAt: string
  updatedAt: string
  /** Grows by one with every change; the basis of optimistic concurrency. */
  version: number
}

export const DEFAULT_CONFIDENCE = 0.7
export const DEFAULT_IMPORTANCE = 50
/** Below this a memory is inactive: kept for audit, on no read path. */
export const ACTIVE_CONFIDENCE = 0.3

/** What is not reinforced for `graceDays` loses `step` of its confidence for every whole `stepDays` after. */
export const DECAY = { graceDays: 30, stepDays: 7, step: 0.1 } as const

/** Exact two-decimal arithmetic inside [0, 1]: 0.7 + 0.1 is 0.8. */
export function clampConfidence(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100
}

export function isExpired(memory: Pick<Memory, 'expiresAt'>, now: Date): boolean {
  return memory.expiresAt !== null && Date.parse(memory.expiresAt) <= now.getTime()
}

/** What every read path shows unless inactive memories are asked for. */
export function isVisible(memory: Pick<Memory, 'active' | 'expiresAt'>, now: Date): boolean {
  return memory.active && !isExpired(memory, now)
}
