import { z } from 'zod'
import { decayed } from '../lifecycle/decay.ts'
import { MemoryError } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import { type Identifiers, scopeOf } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { ACTIVE_CONFIDENCE, type Memory } from '../model/memory.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import type { OwnMemoryOperations } from '../model/provider.ts'
import { bulkSchema, claimFields, keySchema, listSchema, memoryPatchSchema, newMemorySchema } from '../model/schema.ts'
import { embeddedText } from '../text/embedded-text.ts'
import { applyPatch } from './apply-patch.ts'
import { canRead, type GivenClaim, readable, readerOf, resolveClaim, resolveOwner } from './claim.ts'
import { toConditions } from './conditions.ts'
import { type Caller, type Core, embedMemories, withoutUndefined } from './core.ts'
import { isOperator, requireMayChange, requireMayHold } from './operator.ts'
import { refuseSecrets, textsIn } from './refuse-secrets.ts'
import { beginning, requireOwnSession } from './sessions.ts'
import { explainOnce, insertion, requireUnsaid } from './unsaid.ts'
import { type Applied, changedRow, commitAll, commitOnce, notFound, partition } from './write.ts'

type Operations = Pick<OwnMemoryOperations, 'add' | 'get' | 'update' | 'delete' | 'list' | 'bulkAdd' | 'bulkDelete'>

/** Arguments that are not objects themselves, by name, so that an error names them. */
const idArgument = z.strictObject({ id: idSchema, ...claimFields, key: keySchema })
const deleteArgument = idArgument.extend({ version: z.int().min(1).optional() })
const idsArgument = z.strictObject({ ids: z.array(idSchema).min(1).max(LIMITS.bulk), ...claimFields, key: keySchema })
const keyArgument = z.strictObject({ key: keySchema })

/** Only writing needs the guard, and its rules take a while to load. */
const loadGuard = () => import('./guard-input.ts')

/** How often a lost race for one memory is run again. */
const MOST_RACES = 60

/**
 * What can be done with single memories. What a person or client adds is always stored as its own memory. `view` is what the caller
 * may read: less than `core` where something is held from it.
 */
export function memoryOperations(core: Core, view: Core, caller: Caller): Operations {
  const { storage, attempt, log } = core
  const { by } = caller
  const vouched = isOperator(core, caller)
  const newMemory = newMemorySchema(storage.capabilities.maxContentLength)
  const memoryPatch = memoryPatchSchema(storage.capabilities.maxContentLength)

  async function create(inputs: readonly unknown[], parsed: readonly z.output<typeof newMemory>[]): Promise<Memory[]> {
    const { guardNew } = await loadGuard()
    const at = core.now()
    const created: Memory[] = []
    for (const [i, input] of parsed.entries()) {
      const identifiers = ownerOf(caller, input.identifiers)
      scopeOf(input.layer, identifiers)
      const given = inputs[i] as { confidence?: number }
      const place = inputs.length === 1 ? '' : `memories[${i}].`
      const guarded = await guardNew(core.judge, input, { trustGiven: given.confidence !== undefined, vouched, place })
      const createdAt = at.toISOString()
      created.push({
        ...input,
        ...guarded,
        id: core.nextId(at),
        identifiers,
        active: guarded.confidence >= ACTIVE_CONFIDENCE,
        decayedWeeks: 0,
        links: [],
        lastRecalledAt: null,
        recallCount: 0,
        createdAt,
        updatedAt: createdAt,
        version: 1,
      })
    }
    return created
  }

  async function readOne(id: string, claim: GivenClaim): Promise<Memory | null> {
    const reader = resolveClaim(caller, claim)
    const memory = (await attempt(() => view.storage.get([id])))[0]?.memory
    return memory && (await canRead(core, reader, memory)) ? decayed(memory, core.now()) : null
  }

  async function updateOnce(id: string, patch: z.output<typeof memoryPatch>, claim: GivenClaim, key?: string) {
    const current = await readOne(id, claim)
    if (!current) throw notFound(id)
    requireMayChange(core, caller, current)
    if (patch.version !== undefined && patch.version !== current.version && key === undefined) {
      throw stale(id, current.version)
    }
    await refuseSecrets(textsIn(patch))
    const { guardChanged } = await loadGuard()
    const at = core.now()
    const memory = await applyPatch(current, withoutUndefined(patch) as Partial<Memory>, at, (merged) =>
      guardChanged(core.judge, current, merged, { trustGiven: patch.confidence !== undefined, vouched }),
    )
    requireMayHold(core, caller, current, memory)
    const embedding =
      embeddedText(memory) === embeddedText(current) ? undefined : (await embedMemories(core, [memory]))[0]!.embedding
    const expected = patch.version === undefined ? memory : { ...memory, version: patch.version + 1 }
    const result = await commitOnce(core, {
      ...keyed(repeatKey(key, 'update', caller.identifiers, id)),
      by,
      at,
      writes: [{ kind: 'update', row: changedRow(expected, embedding) }],
    })
    if (!result.applied) return result.failures[0]!.reason === 'missing' ? Promise.reject(notFound(id)) : null
    // Another try, or an earlier call with this key, has done it: what it left is the answer.
    const stored = result.repeated ? await readOne(id, claim) : expected
    if (!stored) throw notFound(id)
    return { memory: stored, embeddingRegenerated: embedding !== undefined }
  }

  /** A session that a memory names is there before the memory. */
  async function beginSessions(memories: readonly Memory[], at: Date): Promise<void> {
    const named = new Map(
      memories.flatMap(({ session, identifiers }) => (session === null ? [] : [[session, identifiers] as const])),
    )
    for (const session of named.keys()) await requireOwnSession(core, caller, session)
    const writes = [...named].map(([session, identifiers]) => beginning(session, identifiers, at))
    for (const part of partition(core, writes)) await commitAll(core, { by, at, writes: part })
  }

  /** What a repeated commit created the first time, as it was then: the history has it until it is purged. */
  async function created(memories: readonly Memory[], { repeated, note }: Applied): Promise<Memory[]> {
    if (!repeated || note === null) return [...memories]
    const stored: Memory[] = []
    for (const memory of readNote(note).ids) {
      const { items } = await attempt(() => storage.changes({ memory, after: null, limit: 1 }))
      if (items[0]?.operation === 'create' && items[0].after !== null) stored.push(items[0].after)
    }
    return stored
  }

  return {
    async add(input, options = {}) {
      const { key } = parseInput(keyArgument, options, 'add')
      const parsed = parseInput(newMemory, input, 'add')
      const [memory] = (await create([input], [parsed])) as [Memory]
      if (key === undefined) await requireUnsaid(core, [memory])
      const { embedding, generated } = (await embedMemories(core, [memory]))[0]!
      const at = new Date(memory.createdAt)
      await beginSessions([memory], at)
      const result = await commitAll(core, {
        ...keyed(repeatKey(key, 'add', caller.identifiers, memory.layer, memory.identifiers), [memory], generated),
        of: parsed,
        by,
        at,
        writes: [insertion(memory, embedding)],
      }).catch((error: unknown) => explainOnce(core, error, [memory]))
      const [stored] = await created([memory], result)
      if (!stored) throw new MemoryError('CONFLICT', 'This was added before, and has been purged since.')
      const first = result.repeated && result.note !== null ? readNote(result.note).generated : undefined
      return { memory: stored, embeddingGenerated: first ?? generated }
    },

    async get(id, claim = {}) {
      const { id: checked, ...who } = parseInput(idArgument, { ...claim, id }, 'get')
      return readOne(checked, who)
    },

    async update(id, input, options = {}) {
      const { key, id: checked, ...claim } = parseInput(idArgument, { ...options, id }, 'update')
      const patch = parseInput(memoryPatch, input, 'update')
      // Without a version the caller wants the change on whatever is there: a lost race is read again, not reported.
      for (let tries = 0; ; tries++) {
        const done = await updateOnce(checked, patch, claim, key)
        if (done !== null) return done
        // The others get a moment, a longer one each time.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(tries, 20)))
        if (patch.version !== undefined || tries >= MOST_RACES) {
          throw stale(checked, (await readOne(checked, claim))?.version ?? null)
        }
      }
    },

    async delete(id, options = {}) {
      const { key, id: checked, version, ...claim } = parseInput(deleteArgument, { ...options, id }, 'delete')
      const isOpen = resolveClaim(caller, claim) === null && view === core
      const known = isOpen ? null : await readOne(checked, claim)
      if (known !== null) requireMayChange(core, caller, known)
      if (isOpen || known !== null) {
        await commitAll(core, {
          ...keyed(repeatKey(key, 'delete', caller.identifiers, checked)),
          by,
          writes: [{ kind: 'delete', id: checked, ...(version === undefined ? {} : { version }) }],
        })
      }
      return { success: true }
    },

    async list(input = {}) {
      const request = parseInput(listSchema, input, 'list')
      const who = resolveClaim(caller, request)
      const scopes = who === null ? null : (await readable(core, who, request.layers)).scopes
      const now = core.now()
      const page = await attempt(() =>
        view.storage.memories({
          scopes,
          where: toConditions(request, who, now),
          order: request.sort,
          limit: request.limit,
          after: request.cursor ?? null,
          count: true,
          vectors: false,
        }),
      )
      return {
        memories: page.items.map(({ memory }) => decayed(memory, now)),
        nextCursor: page.next,
        totalCount: page.totalCount ?? 0,
      }
    },

    async bulkAdd(inputs, options = {}) {
      const { key } = parseInput(keyArgument, options, 'bulkAdd')
      const parsed = parseInput(bulkSchema(newMemory), { memories: inputs }, 'bulkAdd').memories
      const memories = await create(inputs, parsed)
      if (key === undefined) await requireUnsaid(core, memories)
      const embeddings = await embedMemories(core, memories)
      const at = new Date(memories[0]!.createdAt)
      await beginSessions(memories, at)
      const writes = memories.map((memory, i) => insertion(memory, embeddings[i]!.embedding))
      const own = repeatKey(key, 'bulkAdd', caller.identifiers, memories[0]!.layer, memories[0]!.identifiers)
      const stored: Memory[] = []
      let start = 0
      for (const [i, part] of partition(core, writes).entries()) {
        const these = memories.slice(start, start + part.length)
        start += part.length
        const result = await commitAll(core, {
          ...keyed(own === undefined ? undefined : `${own}/${i}`, these),
          of: parsed,
          by,
          at,
          writes: part,
        })
          .catch((error: unknown) => explainOnce(core, error, these))
          .catch((error: unknown) => {
            throw partly(error, stored.length)
          })
        stored.push(...(await created(these, result)))
      }
      return { memories: stored }
    },

    async bulkDelete(input, options = {}) {
      const { ids, key, ...claim } = parseInput(idsArgument, { ...options, ids: input }, 'bulkDelete')
      const mayRead = await readerOf(core, resolveClaim(caller, claim))
      const found = await attempt(() => view.storage.get(ids))
      const known = found.map(({ memory }) => memory).filter(mayRead)
      for (const memory of known) requireMayChange(core, caller, memory)
      const writes = known.map(({ id }) => ({ kind: 'delete' as const, id }))
      const failed: string[] = []
      for (const part of partition(core, writes)) {
        // A part is known by what it deletes: repeated, the call goes on with what is left.
        const own = keyed(repeatKey(key, 'bulkDelete', caller.identifiers, part))
        await commitAll(core, { ...own, by, writes: part }).catch((error: Error) => {
          if (MemoryError.is(error) && error.code === 'UNAUTHORIZED') throw error
          log.warn({ count: part.length, error: error.message }, 'memories could not be deleted')
          failed.push(...part.flatMap((write) => ('id' in write ? write.id : [])))
        })
      }
      return { deleted: known.length - failed.length, failed }
    },
  }
}

/** A key, and what whoever repeats it is to be told: the memories that were created, and whether a vector was made. */
function keyed(
  key: string | undefined,
  memories?: readonly Memory[],
  generated?: boolean,
): { key?: string; note?: string } {
  if (key === undefined) return {}
  if (memories === undefined) return { key }
  return { key, note: JSON.stringify({ ids: memories.map(({ id }) => id), generated }) }
}

/** Notes of stores from before are the ids alone. */
function readNote(note: string): { ids: string[]; generated?: boolean } {
  const told = JSON.parse(note) as string[] | { ids: string[]; generated?: boolean }
  return Array.isArray(told) ? { ids: told } : told
}

/** Whose a new memory is. A caller who is known writes as what it is known by. */
function ownerOf(caller: Caller, given: Identifiers): Identifiers {
  return caller.identifiers === null ? given : resolveOwner(caller, given)
}

function stale(id: string, version: number | null): MemoryError {
  const now = version === null ? '' : ` (version ${version})`
  return new MemoryError('CONFLICT', `The memory was changed meanwhile${now}.`, { details: { id, version } })
}

/** Says how much of a bulk write is stored, so that the caller can go on. */
function partly(error: unknown, stored: number): unknown {
  if (!MemoryError.is(error)) {
    const message = error instanceof Error ? error.message : String(error)
    return new MemoryError('PROVIDER_ERROR', `The store failed: ${message}`, {
      details: { stored },
      retryable: false,
      cause: error,
    })
  }
  const { code, message, details, retryable, cause } = error
  return new MemoryError(code, message, { details: { ...details, stored }, retryable, cause })
}
