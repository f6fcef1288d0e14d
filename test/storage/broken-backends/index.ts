import type { BrokenBackend } from './broken-backend.ts'
import { COMMITS } from './commits.ts'
import { CONDITIONS } from './conditions.ts'
import { FIELDS } from './fields.ts'
import { HISTORY } from './history.ts'
import { PAGING } from './paging.ts'
import { RECORDS } from './records.ts'
import { SCOPES } from './scopes.ts'
import { SEARCHING } from './searching.ts'
import { SILENT } from './silent.ts'
import { SIZES } from './sizes.ts'
import { STALE } from './stale.ts'
import { UPKEEP } from './upkeep.ts'

/** Backends with one fault each. The conformance suite must fail on every one. */
export const BROKEN_BACKENDS: readonly BrokenBackend[] = [
  ...SILENT,
  ...COMMITS,
  ...FIELDS,
  ...HISTORY,
  ...PAGING,
  ...CONDITIONS,
  ...SCOPES,
  ...SEARCHING,
  ...RECORDS,
  ...UPKEEP,
  ...SIZES,
  ...STALE,
]
