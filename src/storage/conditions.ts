import type { Category } from '../model/categories.ts'
import type { FilterTest } from '../model/filter.ts'
import type { Layer } from '../model/layer.ts'
import type { Source, Trust } from '../model/memory.ts'

/** Conditions on a memory besides its scope. All that are set must match. */
export interface Conditions {
  /** Visible to readers at this time: `visibleUntil` is later. */
  visibleAt?: string
  /** Hidden at this time: the opposite. */
  hiddenAt?: string
  /** Content or service contains this text, ignoring the case of A to Z. */
  text?: string
  layers?: readonly Layer[]
  categories?: readonly Category[]
  /** None of these categories. A category this version does not know is still found. */
  exceptCategories?: readonly Category[]
  /** In any spelling (`serviceKey`); null for memories without a service. */
  service?: string | null
  source?: Source
  session?: string
  trust?: readonly Trust[]
  /** At least one of these. */
  tags?: readonly string[]
  filter?: readonly FilterTest[]
  /** In this thread, between these positions, inclusive. */
  thread?: { id: string; from: number; to: number }
  /** `expiresAt` is at or before this instant. */
  expiredAt?: string
  /** `updatedAt` is at or before this instant. */
  updatedBy?: string
  /** It contradicts another memory, or another contradicts it. */
  contradicted?: true
  /** Whether it has a vector from the current model. */
  embedded?: boolean
}

/** Whether any condition except visibility is set. */
export function isNarrowed({ visibleAt: _, ...rest }: Conditions): boolean {
  return Object.values(rest).some((value) => value !== undefined)
}
