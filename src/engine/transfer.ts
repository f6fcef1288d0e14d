import { z } from 'zod'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'
import { ACTIVE_CONFIDENCE, type Memory, type Trust } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import { claimFields } from '../model/schema.ts'
import { type ExportOptions, exportLines } from '../transfer/export.ts'
import { type ImportOptions, type ImportReport, importLines } from '../transfer/import.ts'
import type { TransferRecord } from '../transfer/record.ts'
import { recordAct, refuseForged } from './audit.ts'
import { type GivenClaim, readable, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { guardData, guardNew, type Judge, withoutFlags } from './guard-input.ts'
import { guardPersonality } from './guard-personality.ts'
import { isOperator, requireOperator } from './operator.ts'
import { namesIn, refuseSecrets } from './refuse-secrets.ts'
import { sessionSelectors } from './sessions.ts'
import { commitAll, newRow, partition } from './write.ts'

export type { ExportOptions, ImportOptions, ImportReport }

const exportSchema = z.strictObject({ ...claimFields, vectors: z.boolean().optional(), tokens: z.boolean().optional() })

/** Also exports a store that cannot be written, such as a copy or a replica. */
async function recordExport(core: Core, caller: Caller, tokens: boolean): Promise<void> {
  try {
    await recordAct(core, caller, 'export', { tokens })
  } catch (error) {
    if (!MemoryError.is(error) || error.code !== 'PROVIDER_ERROR') throw error
    core.log.warn({ error: error.message }, 'the audit log has no entry for this export')
  }
}

/** What the caller may read, as lines of JSON. */
export async function* exportMemories(
  core: Core,
  caller: Caller,
  request: ExportOptions & GivenClaim,
): AsyncGenerator<string> {
  const { onProgress, ...input } = request ?? {}
  const { vectors, tokens = false, ...claim } = parseInput(exportSchema, input, 'export')
  const who = resolveClaim(caller, claim)
  if (tokens) {
    requireOperator(core, caller, 'exports tokens')
    if (who !== null) throw invalidInput('tokens', 'Invalid tokens: only an export of the whole store contains them.')
  }
  if (who === null && isOperator(core, caller)) await recordExport(core, caller, tokens)
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
    tokens,
    ...(vectors === undefined ? {} : { vectors }),
    ...(onProgress === undefined ? {} : { onProgress }),
  })
}

/** A file may come from anywhere: its texts pass the guard like any others. */
async function cleanRecord(judge: Judge, record: TransferRecord, keepTrust: boolean): Promise<TransferRecord> {
  if (record.type === 'memory') {
    const memory = await cleanMemory(judge, record.memory, keepTrust)
    // A changed text has another vector.
    if (memory.content === record.memory.content) return { ...record, memory }
    const { embedding: _, ...rest } = record
    return { ...rest, memory }
  }
  switch (record.type) {
    case 'change': {
      const { after, by } = record.change
      return {
        ...record,
        change: {
          ...record.change,
          by: clean(by),
          after: after === null ? null : await cleanMemory(judge, after, keepTrust),
        },
      }
    }
    case 'session': {
      const { outcome } = record.session
      return { ...record, session: { ...record.session, outcome: outcome === null ? null : clean(outcome) } }
    }
    case 'personality': {
      const { personality } = record
      return { ...record, personality: { ...personality, ...guardPersonality(personality, keepTrust) } }
    }
    case 'event':
      return { ...record, event: { ...record.event, data: guardData(record.event.data) } }
    default:
      return record
  }
}

function clean(text: string): string {
  return redactSecrets(text).text
}

/** An error quotes the beginning of a value, which may be too little of a secret to recognize: if there is a secret, nothing is quoted. */
function withoutSecrets(reason: string, line: string): string {
  const isSafe = redactSecrets(line).found.length === 0
  return clean(isSafe ? reason : reason.replace(/'.*'/s, 'a value'))
}

function namesInRecord(record: TransferRecord) {
  switch (record.type) {
    case 'memory':
      return namesIn({ kind: 'insert', row: newRow(record.memory, null) })
    case 'change':
      return namesIn({ kind: 'change', change: record.change })
    case 'session':
      return namesIn({ kind: 'session', session: record.session })
    case 'injection':
      return namesIn({ kind: 'injection', injection: record.injection, recall: false })
    case 'event':
      return namesIn({ kind: 'event', event: record.event })
    case 'token':
      return namesIn({ kind: 'put', collection: 'token', document: record.token })
    case 'directory':
      return namesIn({ kind: 'put', collection: 'directory', document: record.entry })
    default:
      return namesIn({ kind: 'put', collection: 'personality', document: record.personality })
  }
}

/** From held to an operator's own. */
const TRUST_ORDER: readonly Trust[] = ['quarantined', 'flagged', 'agent', 'corroborated', 'operator']

function lower(a: Trust, b: Trust): Trust {
  return TRUST_ORDER.indexOf(a) < TRUST_ORDER.indexOf(b) ? a : b
}

async function cleanMemory(judge: Judge, memory: Memory, keepTrust: boolean): Promise<Memory> {
  const guarded = await guardNew(judge, memory, { trustGiven: true, vouched: false })
  const { content, service, tags, anchor, metadata, trust } = guarded
  const believed = keepTrust && (trust !== 'quarantined' || memory.trust === 'operator')
  // A file's trust can be forged, so it can only lower what is determined here.
  const worth = believed ? memory.trust : lower(trust, memory.trust)
  const isMarked = worth === 'flagged' || worth === 'quarantined'
  const flags =
    memory.metadata.flags ?? (believed ? undefined : metadata.flags) ?? (isMarked ? ['imported'] : undefined)
  const kept = withoutFlags(metadata)
  return {
    ...memory,
    content,
    service,
    tags,
    anchor,
    metadata: flags === undefined ? kept : { ...kept, flags },
    trust: worth,
    active: memory.active && memory.confidence >= ACTIVE_CONFIDENCE,
  }
}

/** Adds the records of an export that the store does not have. */
export async function importMemories(
  core: Core,
  caller: Caller,
  lines: AsyncIterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { storage, model, attempt } = core
  const keepTrust = options.keepTrust === true
  if (keepTrust) requireOperator(core, caller, 'decides that a file is trusted')
  return importLines(
    {
      storage,
      model,
      attempt,
      async clean(record) {
        // A personality applies in every project, and its agent reads it first.
        if (record.type === 'personality') requireOperator(core, caller, 'changes personalities')
        if (record.type === 'directory') requireOperator(core, caller, 'changes the directory')
        // Anyone who can write a file could write a token into it.
        if (record.type === 'token' && !keepTrust)
          throw invalidInput('token', 'Tokens are restored only with --keep-trust.')
        if (record.type === 'event') refuseForged(record.event, keepTrust)
        await refuseSecrets(namesInRecord(record))
        return cleanRecord(core.judge, record, keepTrust)
      },
      tell: withoutSecrets,
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
