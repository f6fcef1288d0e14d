import { z } from 'zod'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import { type ExportOptions, exportLines } from '../transfer/export.ts'
import { type ImportOptions, type ImportReport, importLines } from '../transfer/import.ts'
import { type GivenClaim, readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { sessionSelectors } from './sessions.ts'
import { commitAll, newRow, partition } from './write.ts'

export type { ExportOptions, ImportOptions, ImportReport }

const exportSchema = z.strictObject({ ...claimFields, vectors: z.boolean().optional() })

/** What the caller may read, as lines of JSON. */
export async function* exportMemories(
  core: Core,
  caller: Caller,
  { onProgress, ...input }: ExportOptions & GivenClaim,
): AsyncGenerator<string> {
  const { vectors, ...claim } = parseInput(exportSchema, input, 'export')
  const who = resolveClaim(caller, claim)
  const { storage, model, attempt } = core
  const selection =
    who === null
      ? { scopes: null, sessions: null, events: null, agent: null }
      : {
          scopes: (await readable(core, who, undefined)).scopes,
          sessions: sessionSelectors(who),
          events: who.projectId === undefined ? [] : [{ project: who.projectId }],
          agent: who.agentId ?? null,
        }
  yield* exportLines({ storage, model: model.name, now: core.now(), attempt }, selection, {
    ...(vectors === undefined ? {} : { vectors }),
    ...(onProgress === undefined ? {} : { onProgress }),
  })
}

/** Adds what an export has and the store has not. */
export async function importMemories(
  core: Core,
  lines: AsyncIterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { storage, model, attempt } = core
  return importLines(
    {
      storage,
      model,
      attempt,
      toRow: newRow,
      async write(writes) {
        let changed = 0
        for (const part of partition(core, writes)) {
          changed += (await commitAll(core, { by: 'import', writes: part })).changed
        }
        return changed
      },
    },
    lines,
    options,
  )
}
