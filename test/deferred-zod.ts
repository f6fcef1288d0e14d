import { z as zod } from 'zod'
import { deferredZod } from '../scripts/bundle/deferred-zod.ts'

/** What our modules get for zod in the bundle, and in the tests. */
export const z = deferredZod(() => zod)
