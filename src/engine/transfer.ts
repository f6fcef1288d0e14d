import { z } from 'zod'
import { ACTIVE_CONFIDENCE, type Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import { type ExportOptions, exportLines } from '../transfer/export.ts'
import { type ImportOptions, type ImportReport, importLines } from '../transfer/import.ts'
import type { TransferRecord } from '../transfer/record.ts'
import { type GivenClaim, readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { guardNew, withoutFlags } from './guard-input.ts'
import { sessionSelectors } from './sessions.ts'
import { commitAll, newRow, partition } from './write.ts'

export type { ExportOptions, ImportOptions, ImportReport }

const exportSchema = z.strictObject({ ...claimFields, vectors: z.boolean().optional() })

/** What the caller may read, as lines of JSON. */
export async function* exportMemories(
  core: Core,
  caller: Caller,
  request: ExportOptions & GivenClaim,
): AsyncGenerator<string> {
  const { onProgress, ...input } = request ?? {}
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

/**
 * A file may come from anywhere: its texts pass the guard as all others do.
 */
function cleanRecord(record: TransferRecord): TransferRecord {
  if (record.type === 'memory') {
    const memory = cleanMemory(record.memory)
    // A text that was changed has another vector.
    if (memory.content === record.memory.content) return { ...record, memory }
    const { embedding: _, ...rest } = record
    return { ...rest, memory }
  }
  if (record.type !== 'change' || record.change.after === null) return record
  return { ...record, change: { ...record.change, after: cleanMemory(record.change.after) } }
}

function cleanMemory(memory: Memory): Memory {
  const { content, service, tags, anchor, metadata, trust } = guardNew(memory, { trustGiven: true })
  const { flags } = memory.metadata
  const kept = withoutFlags(metadata)
  return {
    ...memory,
    content,
    service,
    tags,
    anchor,
    metadata: flags === undefined ? kept : { ...kept, flags },
    // An operator's word is an operator's; what an agent said is judged here as anywhere.
    trust: trust === 'quarantined' && memory.trust !== 'operator' ? trust : memory.trust,
    active: memory.active && memory.confidence >= ACTIVE_CONFIDENCE,
  }
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
      clean: cleanRecord,
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
