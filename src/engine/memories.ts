import { z } from 'zod'
import { decodeCursor, encodeCursor } from '../model/cursor.ts'
import { MemoryError } from '../model/errors.ts'
import { type Identifiers, readableScopes, scopeOf, selects } from '../model/layer.ts'
import { LIMITS } from '../model/limits.ts'
import { ACTIVE_CONFIDENCE, type Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { MemoryProvider } from '../model/provider.ts'
import {
  bulkSchema,
  identifiersSchema,
  idSchema,
  listSchema,
  memoryPatchSchema,
  newMemorySchema,
} from '../model/schema.ts'
import { chooseLayers, toConditions } from '../recall/search.ts'
import { type Core, embedTexts, withoutUndefined } from './core.ts'

type Operations = Pick<MemoryProvider, 'add' | 'get' | 'update' | 'delete' | 'list' | 'bulkAdd' | 'bulkDelete'>

/** Arguments that are not objects themselves, by name, so that an error names them. */
const idArgument = z.strictObject({ id: idSchema })
const idsArgument = z.strictObject({ ids: z.array(idSchema).min(1).max(LIMITS.bulk) })
const accessArgument = z.strictObject({ identifiers: identifiersSchema.optional() })

/** Only writing needs the guard, and its rules take a while to load. */
const loadGuard = () => import('./guard-input.ts')

/** How often a lost race for one memory is run again. */
const MOST_RACES = 20

/** What can be done with single memories. What a person or client adds is always stored as its own memory. */
export function memoryOperations(core: Core): Operations {
  const { storage, attempt, actor, log } = core
  const newMemory = newMemorySchema(storage.capabilities.maxContentLength)
  const memoryPatch = memoryPatchSchema(storage.capabilities.maxContentLength)

  function create(input: z.output<typeof newMemory>): Memory {
    const identifiers: Identifiers = withoutUndefined(input.identifiers)
    scopeOf(input.layer, identifiers)
    const at = core.now()
    const createdAt = at.toISOString()
    return {
      ...input,
      id: core.nextId(at),
      identifiers,
      active: input.confidence >= ACTIVE_CONFIDENCE,
      lastRecalledAt: null,
      recallCount: 0,
      createdAt,
      updatedAt: createdAt,
      version: 1,
    }
  }

  async function readOne(id: string): Promise<Memory | null> {
    return (await attempt(() => storage.get([id])))[0] ?? null
  }

  async function updateOnce(id: string, patch: z.output<typeof memoryPatch>) {
    const current = await readOne(id)
    if (!current)
      throw new MemoryError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } })
    if (patch.version !== undefined && patch.version !== current.version) {
      throw new MemoryError('CONFLICT', `The memory was changed meanwhile (version ${current.version}).`, {
        details: { id, version: current.version },
      })
    }
    const memory = applyPatch(current, withoutUndefined(patch), core.now())
    const embedding = memory.content === current.content ? undefined : (await embedTexts(core, [memory.content]))[0]
    await attempt(() => storage.commit([{ kind: 'update', memory, ...(embedding ? { embedding } : {}) }], actor))
    return { memory, embeddingRegenerated: embedding !== undefined }
  }

  return {
    async add(input) {
      const parsed = parseInput(newMemory, input, 'add')
      const memory = create((await loadGuard()).guardNew(parsed, input))
      const embedding = (await embedTexts(core, [memory.content]))[0]!
      await attempt(() => storage.commit([{ kind: 'insert', memory, embedding }], actor))
      return { memory, embeddingGenerated: embedding.generated }
    },

    async get(id, access = {}) {
      parseInput(idArgument, { id }, 'get')
      const reader = parseInput(accessArgument, access, 'get').identifiers
      const memory = await readOne(id)
      if (!memory || !reader) return memory
      const selector = readableScopes(memory.layer, await core.complete(withoutUndefined(reader)))
      return selector && selects(selector, scopeOf(memory.layer, memory.identifiers)) ? memory : null
    },

    async update(id, input) {
      parseInput(idArgument, { id }, 'update')
      const parsed = parseInput(memoryPatch, input, 'update')
      const patch = (await loadGuard()).guardPatch(parsed)
      // Without a version the caller wants the change on whatever is there: a lost race is read again, not reported.
      for (let tries = 0; ; tries++) {
        try {
          return await updateOnce(id, patch)
        } catch (error) {
          const lost = MemoryError.is(error) && error.code === 'CONFLICT' && patch.version === undefined
          if (!lost || tries >= MOST_RACES) throw error
        }
      }
    },

    async delete(id) {
      parseInput(idArgument, { id }, 'delete')
      await attempt(() => storage.commit([{ kind: 'delete', id }], actor))
      return { success: true }
    },

    async list(input = {}) {
      const request = parseInput(listSchema, input, 'list')
      const after = request.cursor === undefined ? null : decodeCursor(request.cursor)
      const identifiers = withoutUndefined(request.identifiers)
      const everything = Object.keys(identifiers).length === 0 && !request.layers
      const known = await core.complete(identifiers)
      const scopes = everything
        ? null
        : chooseLayers(request.layers, known).flatMap((layer) => readableScopes(layer, known) ?? [])
      const where = toConditions(request, core.now())
      const { memories, totalCount } = await attempt(() =>
        storage.list({ scopes, where, limit: request.limit + 1, after }),
      )
      const page = memories.slice(0, request.limit)
      const nextCursor = memories.length > page.length ? encodeCursor(page.at(-1)!) : null
      return { memories: page, nextCursor, totalCount }
    },

    async bulkAdd(inputs) {
      const parsed = parseInput(bulkSchema(newMemory), { memories: inputs }, 'bulkAdd').memories
      const { guardNew } = await loadGuard()
      const memories = parsed.map((memory, i) => create(guardNew(memory, inputs[i]!, `memories[${i}].`)))
      const embeddings = await embedTexts(
        core,
        memories.map((memory) => memory.content),
      )
      const writes = memories.map((memory, i) => ({ kind: 'insert' as const, memory, embedding: embeddings[i]! }))
      if (storage.capabilities.bulkOperations) {
        await attempt(() => storage.commit(writes, actor))
        return { memories }
      }
      const done: string[] = []
      try {
        for (const write of writes) {
          await attempt(() => storage.commit([write], actor))
          done.push(write.memory.id)
        }
      } catch (error) {
        for (const id of done) await attempt(() => storage.commit([{ kind: 'delete', id }], actor))
        throw error
      }
      return { memories }
    },

    async bulkDelete(input) {
      const { ids } = parseInput(idsArgument, { ids: input }, 'bulkDelete')
      const known = (await attempt(() => storage.get(ids))).map((memory) => memory.id)
      const remove = (part: readonly string[]) =>
        attempt(() =>
          storage.commit(
            part.map((id) => ({ kind: 'delete' as const, id })),
            actor,
          ),
        )
      if (storage.capabilities.bulkOperations) {
        await remove(known)
        return { deleted: known.length, failed: [] }
      }
      const failed: string[] = []
      for (const id of known) {
        await remove([id]).catch((error: Error) => {
          log.warn({ id, error: error.message }, 'a memory could not be deleted')
          failed.push(id)
        })
      }
      return { deleted: known.length - failed.length, failed }
    },
  }
}

function applyPatch(current: Memory, patch: Partial<Memory>, now: Date): Memory {
  const { metadata, version: _, ...fields } = patch
  const memory = { ...current, ...fields, version: current.version + 1, updatedAt: now.toISOString() }
  if (metadata) memory.metadata = { ...current.metadata, ...metadata }
  if (patch.confidence !== undefined) memory.active = patch.active ?? patch.confidence >= ACTIVE_CONFIDENCE
  if (memory.active && memory.confidence < ACTIVE_CONFIDENCE) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Invalid active: a confidence of ${memory.confidence} is below ${ACTIVE_CONFIDENCE}; raise it to reactivate the memory.`,
      { details: { field: 'active' } },
    )
  }
  return memory
}
