import type { Commit, CommitResult } from '../../../src/storage/commit.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { type BrokenBackend, broken, brokenCommit, brokenWrites, spoiledAfter } from './broken-backend.ts'
import { withOnce } from './commits.ts'
import { altered } from './fields.ts'
import { brokenPages, type Paged } from './paging.ts'

/** Like columns made for short strings. */
const SHORT = 255
const cut = (text: string) => text.slice(0, SHORT)

/** A commit in two parts; the second may fail after the first was applied. */
async function inHalves(right: Storage['commit'], commit: Commit): Promise<CommitResult> {
  const half = Math.ceil(commit.writes.length / 2)
  const first = await right({ ...commit, key: `${commit.key} first`, writes: commit.writes.slice(0, half) })
  if (!first.applied) return first
  const second = await right({ ...commit, writes: commit.writes.slice(half) })
  if (second.applied) return { ...second, changed: first.changed + second.changed }
  return { ...second, failures: second.failures.map((each) => ({ ...each, write: each.write + half })) }
}

/** Pages that are too large end early and claim to be the last. */
function cutPages(name: Paged, most: number): BrokenBackend {
  return brokenPages(name, `what is beyond ${most} of a page is lost`, async (asked, right) =>
    asked.limit <= most ? right(asked) : { ...(await right({ ...asked, limit: most })), next: null },
  )
}

const REQUESTS: BrokenBackend[] = [
  brokenCommit('more than 100 writes are applied in two halves', (right, commit) =>
    commit.writes.length > 100 ? inHalves(right, commit) : right(commit),
  ),
  broken('get answers for 100 ids', (right) => ({ get: (ids) => right.get(ids.slice(0, 100)) })),
  broken('embeddings answers for 100 hashes', (right) => ({
    embeddings: (hashes) => right.embeddings(hashes.slice(0, 100)),
  })),
  broken('known answers for 100 keys', (right) => ({ known: (keys) => right.known(keys.slice(0, 100)) })),
  broken('documents answers for 25 keys', (right) => ({
    documents: (collection, keys) => right.documents(collection, keys?.slice(0, 25)),
  })),
  broken('documents lists 100', (right) => ({
    documents: async (...asked) => (await right.documents(...asked)).slice(0, 100),
  })),
  cutPages('memories', 250),
  ...(['changes', 'sessions', 'injections', 'events'] as const).map((name) => cutPages(name, 100)),
]

const KEYS: BrokenBackend[] = [
  spoiledAfter('the last 50 commit keys are remembered', ({ commits }) => {
    for (const key of [...commits.keys()].slice(0, -50)) commits.delete(key)
  }),
  brokenCommit('commit keys are cut', (right, commit) => right({ ...commit, key: cut(commit.key) })),
  broken('once-keys are cut', (right) => ({
    commit: (commit) =>
      right.commit({ ...commit, writes: commit.writes.map((write) => withOnce(write, (keys) => keys.map(cut))) }),
    async known(keys) {
      const found = await right.known(keys.map(cut))
      return new Set(keys.filter((key) => found.has(cut(key))))
    },
  })),
]

const VALUES: BrokenBackend[] = [
  altered('content is cut at 32,767 bytes', ({ content }) => {
    const bytes = Buffer.from(content)
    return bytes.length > 32_767 ? { content: bytes.subarray(0, 32_767).toString() } : {}
  }),
  altered('numbers in metadata have 15 digits', ({ metadata }) => ({
    metadata: JSON.parse(JSON.stringify(metadata), (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(15)) : value,
    ) as typeof metadata,
  })),
  altered('a memory has 16 links', ({ links }) => ({ links: links.slice(0, 16) })),
  altered('a memory has 32 tags', ({ tags }) => ({ tags: tags.slice(0, 32) })),
  brokenWrites('a memory has 1,000 tokens', (write) =>
    'row' in write
      ? ({ ...write, row: { ...write.row, tokens: write.row.tokens.slice(0, 1000) } } as typeof write)
      : write,
  ),
]

/** Correct for small inputs only. */
export const SIZES: BrokenBackend[] = [...REQUESTS, ...KEYS, ...VALUES]
