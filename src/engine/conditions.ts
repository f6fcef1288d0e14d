import type { z } from 'zod'
import { filterTests } from '../model/filter.ts'
import type { Identifiers } from '../model/layer.ts'
import type { listSchema } from '../model/schema.ts'
import type { Conditions } from '../storage/conditions.ts'
import { withoutUndefined } from '../text/without-undefined.ts'

/** Conditions shared by `search` and `list`; `who` is null for the whole store. */
export function toConditions(
  request: Partial<z.output<typeof listSchema>>,
  who: Identifiers | null,
  now: Date,
): Conditions {
  const { service, source, session, trust, text } = request
  return {
    // With identifiers, the scopes already determine the layers.
    ...(who === null && request.layers ? { layers: request.layers } : {}),
    ...(request.tags && request.tags.length > 0 ? { tags: request.tags } : {}),
    ...(request.filter ? { filter: filterTests(request.filter) } : {}),
    ...(request.category !== undefined ? { categories: [request.category] } : {}),
    ...withoutUndefined({ service, source, session, trust, text }),
    ...(request.onlyInactive ? { hiddenAt: now.toISOString() } : {}),
    ...(request.includeInactive || request.onlyInactive ? {} : { visibleAt: now.toISOString() }),
  }
}
