import type { Category } from '../model/categories.ts'
import type { FilterTest } from '../model/filter.ts'
import type { Layer } from '../model/layer.ts'
import type { Source, Trust } from '../model/memory.ts'

/** Conditions on a memory besides its scope. All that are given must hold. */
export interface Conditions {
  /** On read paths at this instant: `visibleUntil` is later. */
  visibleAt?: string
  /** On none at this instant: the opposite. */
  hiddenAt?: string
  /** Its content or its service holds this text; the case of the letters A to Z does not matter. */
  text?: string
  layers?: readonly Layer[]
  categories?: readonly Category[]
  /** Of none of these: what is of a category that this version does not know is found. */
  exceptCategories?: readonly Category[]
  /** In whatever spelling (`serviceKey`); null: of no service. */
  service?: string | null
  source?: Source
  session?: string
  trust?: readonly Trust[]
  /** Any of these. */
  tags?: readonly string[]
  filter?: readonly FilterTest[]
  /** Of this thread, at these positions, both ends included. */
  thread?: { id: string; from: number; to: number }
  /** `expiresAt` is at or before this instant. */
  expiredAt?: string
  /** `updatedAt` is at or before this instant. */
  updatedBy?: string
  /** Whether it has a vector of the current model. */
  embedded?: boolean
}

/** Whether anything but visibility narrows a search. */
export function isNarrowed({ visibleAt: _, ...rest }: Conditions): boolean {
  return Object.values(rest).some((value) => value !== undefined)
}
