import { z } from 'zod'
import { CATEGORIES } from '../../model/categories.ts'
import { LAYERS } from '../../model/layer.ts'
import { SOURCES, TRUSTS } from '../../model/memory.ts'
import { MEMORY_ORDERS } from '../../model/schema.ts'
import type { Commit } from '../commit.ts'
import type { Conditions } from '../conditions.ts'
import { COLLECTIONS } from '../documents.ts'
import type { MemoryQuery } from '../memory-query.ts'
import type { ChangeQuery, EventQuery, InjectionQuery, SessionQuery } from '../record-query.ts'
import type { SearchQuery } from '../search-query.ts'
import type { Storage } from '../storage.ts'
import type { TallyQuery } from '../tally.ts'
import { ANSWERS, unpackCommit, unpackQuery } from './wire.ts'

/** What a call needs: to read or write what it names, or to reach the whole store. */
type Need = 'write' | 'admin'

/** A method of the storage as a server offers it. */
interface Method<Input extends z.ZodType> {
  args: Input
  needs(args: z.output<Input>, storage: Storage): Need | Promise<Need>
  run(storage: Storage, args: z.output<Input>): Promise<unknown>
}

function method<Input extends z.ZodType>(
  args: Input,
  run: Method<Input>['run'],
  needs: Method<Input>['needs'] = () => 'write',
): Method<z.ZodType> {
  return { args, run, needs } as unknown as Method<z.ZodType>
}

/** An object with every field of an interface: a field that is added there and not here does not compile. */
function objectOf<Fields>() {
  return <Shape extends Record<keyof Fields, z.ZodType>>(shape: Shape) => z.strictObject(shape)
}

const optional = z.exactOptional
const texts = z.array(z.string())
const position = { after: z.string().nullable(), limit: z.number() }

const scope = z.union([
  z.strictObject({
    layer: z.enum(LAYERS),
    owner: z.string(),
    projects: z.array(z.string().nullable()).nullable(),
  }),
  z.strictObject({ layer: z.literal('task'), section: z.string().nullable(), project: z.string().nullable() }),
  z.strictObject({ layer: z.enum(['agent', 'task', 'section']), agentsOf: z.string() }),
])
const scopes = z.array(scope).nullable()

const conditions = objectOf<Conditions>()({
  visibleAt: optional(z.string()),
  hiddenAt: optional(z.string()),
  text: optional(z.string()),
  layers: optional(z.array(z.enum(LAYERS))),
  categories: optional(z.array(z.enum(CATEGORIES))),
  service: optional(z.string().nullable()),
  source: optional(z.enum(SOURCES)),
  session: optional(z.string()),
  trust: optional(z.array(z.enum(TRUSTS))),
  tags: optional(texts),
  filter: optional(
    z.array(
      z.strictObject({
        path: texts,
        operator: z.enum(['eq', 'contains', 'gt', 'gte', 'lt', 'lte']),
        value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
      }),
    ),
  ),
  thread: optional(z.strictObject({ id: z.string(), from: z.number(), to: z.number() })),
  expiredAt: optional(z.string()),
  updatedBy: optional(z.string()),
  embedded: optional(z.boolean()),
})

const memoryQuery = objectOf<MemoryQuery>()({
  scopes,
  where: conditions,
  order: z.enum(MEMORY_ORDERS),
  ...position,
  count: z.boolean(),
  vectors: z.boolean(),
})

const searchQuery = objectOf<SearchQuery>()({
  scopes,
  where: conditions,
  vector: z.base64().nullable(),
  tokens: texts,
  limit: z.number(),
  around: optional(z.number()),
})

const project = z.strictObject({ project: z.string() })
const sessionSelector = z.union([
  z.strictObject({ id: z.string() }),
  project,
  z.strictObject({ agent: z.string(), project: z.null() }),
])
const eventSelector = z.union([project, z.strictObject({ session: z.string() })])

const whole = (isWhole: boolean): Need => (isWhole ? 'admin' : 'write')

/** Tokens open the server, and who agents are and what belongs to what holds in every project: who writes those is an admin. */
const writesDocuments = ({ writes }: Commit) => writes.some((write) => 'collection' in write)

/** Whether it lets somebody see what is held for review: an operator's decision. */
async function releasesHeld({ writes }: Commit, storage: Storage): Promise<boolean> {
  const shown = writes.flatMap((write) =>
    write.kind === 'update' && write.row.memory.trust !== 'quarantined' ? [write.row.memory.id] : [],
  )
  return shown.length > 0 && (await storage.get(shown)).some(({ memory }) => memory.trust === 'quarantined')
}

/**
 * The table of calls. Reading without a scope is reading the whole store, as `everything` is in the engine: that and what
 * belongs to nobody needs an admin.
 */
export const METHODS: Readonly<
  Record<Exclude<keyof Storage, 'name' | 'capabilities' | 'shutdown' | 'follow'>, Method<z.ZodType>>
> = {
  initialize: method(z.tuple([]), async () => null),
  ping: method(z.tuple([]), async (storage) => {
    await storage.ping()
    return null
  }),
  // Its writes are read by the storage's own door, `checkedStorage`.
  commit: method(
    z.tuple([z.looseObject({ writes: z.array(z.looseObject({ kind: z.string() })) }).transform(unpackCommit)]),
    (storage, [commit]) => storage.commit(commit),
    async ([commit], storage) => whole(writesDocuments(commit) || (await releasesHeld(commit, storage))),
  ),
  known: method(z.tuple([texts]), async (storage, [keys]) => ANSWERS.known.pack(await storage.known(keys))),
  get: method(z.tuple([texts]), async (storage, [ids]) => ANSWERS.get.pack(await storage.get(ids))),
  memories: method(
    z.tuple([memoryQuery]),
    async (storage, [query]) => ANSWERS.memories.pack(await storage.memories(query)),
    ([query]) => whole(query.scopes === null),
  ),
  search: method(
    z.tuple([z.array(searchQuery.transform(unpackQuery))]),
    async (storage, [queries]) => ANSWERS.search.pack(await storage.search(queries)),
    ([queries]) => whole(queries.some((query) => query.scopes === null)),
  ),
  embeddings: method(z.tuple([texts]), async (storage, [hashes]) =>
    ANSWERS.embeddings.pack(await storage.embeddings(hashes)),
  ),
  changes: method(
    z.tuple([objectOf<ChangeQuery>()({ memory: z.string().nullable(), ...position })]),
    (storage, [query]) => storage.changes(query),
    ([query]) => whole(query.memory === null),
  ),
  sessions: method(
    z.tuple([objectOf<SessionQuery>()({ any: z.array(sessionSelector).nullable(), ...position })]),
    (storage, [query]) => storage.sessions(query),
    ([query]) => whole(query.any === null),
  ),
  injections: method(
    z.tuple([
      objectOf<InjectionQuery>()({ session: z.string().nullable(), memory: z.string().nullable(), ...position }),
    ]),
    (storage, [query]) => storage.injections(query),
    ([query]) => whole(query.session === null && query.memory === null),
  ),
  events: method(
    z.tuple([objectOf<EventQuery>()({ any: z.array(eventSelector).nullable(), ...position })]),
    (storage, [query]) => storage.events(query),
    ([query]) => whole(query.any === null),
  ),
  documents: method(
    z.tuple([z.enum(COLLECTIONS), texts.optional()]),
    (storage, [collection, keys]) => storage.documents(collection, keys),
    ([collection]) => whole(collection === 'token'),
  ),
  stats: method(z.tuple([]), (storage) => storage.stats()),
  tally: method(
    z.tuple([objectOf<TallyQuery>()({ scopes, visibleAt: z.string(), since: z.string() })]),
    (storage, [query]) => storage.tally(query),
    ([query]) => whole(query.scopes === null),
  ),
  purge: method(
    z.tuple([z.strictObject({ before: z.string(), dryRun: z.boolean() })]),
    (storage, [options]) => storage.purge(options),
    () => 'admin',
  ),
}
