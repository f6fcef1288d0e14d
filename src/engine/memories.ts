import { z } from 'zod'
import { decayed } from '../lifecycle/decay.ts'
import { MemoryError } from '../model/errors.ts'
import { idSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import type { Memory } from '../model/memory.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import type { OwnMemoryOperations } from '../model/provider.ts'
import { claimFields, keySchema, listSchema, memoryPatchSchema } from '../model/schema.ts'
import { embeddedText } from '../text/embedded-text.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import { applyPatch } from './apply-patch.ts'
import { canRead, type GivenClaim, readable, readerOf, resolveClaim } from './claim.ts'
import { toConditions } from './conditions.ts'
import { type Caller, type Core, embedMemories } from './core.ts'
import { isOperator, needsNoJudge, requireMayChange, requireMayHold, requireMayPin } from './operator.ts'
import { refuseSecrets, textsIn } from './refuse-secrets.ts'
import { changedRow, commitAll, commitOnce, notFound, partition } from './write.ts'

type Operations = Pick<OwnMemoryOperations, 'add' | 'get' | 'update' | 'delete' | 'list' | 'bulkAdd' | 'bulkDelete'>

/** Names of arguments that are not objects, for errors. */
const idArgument = z.strictObject({ id: idSchema, ...claimFields, key: keySchema })
const deleteArgument = idArgument.extend({ version: z.int().min(1).optional() })
const idsArgument = z.strictObject({ ids: z.array(idSchema).min(1).max(LIMITS.bulk), ...claimFields, key: keySchema })

/** Only writes need the guard, whose rules take a while to load. */
const loadGuard = () => import('./guard-input.ts')

/** How often a conflict on one memory is retried. */
const MOST_RACES = 60

/**
 * Operations on single memories. `view` is what the caller may read: less than `core` if held memories are hidden.
 */
export function memoryOperations(core: Core, view: Core, caller: Caller): Operations {
  const { storage, attempt, log } = core
  const { by } = caller
  const [vouched, typed] = [isOperator(core, caller), needsNoJudge(core, caller)]
  const memoryPatch = memoryPatchSchema(storage.capabilities.maxContentLength)

  async function readOne(id: string, claim: GivenClaim): Promise<Memory | null> {
    const reader = resolveClaim(caller, claim)
    const memory = (await attempt(() => view.storage.get([id])))[0]?.memory
    return memory && (await canRead(core, reader, memory)) ? decayed(memory, core.now(), core.settings.decay) : null
  }

  async function updateOnce(id: string, patch: z.output<typeof memoryPatch>, claim: GivenClaim, key?: string) {
    const current = await readOne(id, claim)
    if (!current) throw notFound(id)
    requireMayChange(core, caller, current)
    requireMayPin(core, caller, patch.pinned)
    if (patch.version !== undefined && patch.version !== current.version && key === undefined) {
      throw stale(id, current.version)
    }
    await refuseSecrets(textsIn(patch))
    const { guardChanged } = await loadGuard()
    const at = core.now()
    const memory = await applyPatch(current, withoutUndefined(patch) as Partial<Memory>, at, (merged) =>
      guardChanged(core.judge, current, merged, { trustGiven: patch.confidence !== undefined, vouched, typed }),
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
    // An earlier attempt or call with this key has done it; its result is the answer.
    const stored = result.repeated ? await readOne(id, claim) : expected
    if (!stored) throw notFound(id)
    return { memory: stored, embeddingRegenerated: embedding !== undefined }
  }

  return {
    add: async (memory, options = {}) => (await import('./add.ts')).add(core, caller, memory, options),

    bulkAdd: async (memories, options = {}) => (await import('./add.ts')).bulkAdd(core, caller, memories, options),

    async get(id, claim = {}) {
      const { id: checked, ...who } = parseInput(idArgument, { ...claim, id }, 'get')
      return readOne(checked, who)
    },

    async update(id, input, options = {}) {
      const { key, id: checked, ...claim } = parseInput(idArgument, { ...options, id }, 'update')
      const patch = parseInput(memoryPatch, input, 'update')
      // Without a version, the change applies to the current state: a conflict is retried, not reported.
      for (let tries = 0; ; tries++) {
        const done = await updateOnce(checked, patch, claim, key)
        if (done !== null) return done
        // Waits longer before each attempt.
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
        memories: page.items.map(({ memory }) => decayed(memory, now, core.settings.decay)),
        nextCursor: page.next,
        totalCount: page.totalCount ?? 0,
      }
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
        // Each part's key depends on what it deletes: a repeated call continues with the rest.
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

function keyed(key: string | undefined): { key?: string } {
  return key === undefined ? {} : { key }
}

function stale(id: string, version: number | null): MemoryError {
  const now = version === null ? '' : ` (version ${version})`
  return new MemoryError('CONFLICT', `The memory was changed in the meantime${now}.`, { details: { id, version } })
}
