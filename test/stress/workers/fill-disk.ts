import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashingEmbedding } from '../../../src/embedding/hashing.ts'
import { openMemory } from '../../../src/engine/open-memory.ts'
import type { MemoryError } from '../../../src/model/errors.ts'
import { findBrokenInvariants } from '../invariants.ts'
import { query } from '../older-files.ts'

// Mounts a small disk on the folder given, writes until it is full, makes room, goes on, and prints what happened.
const disk = process.argv[2]!
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk])
const path = join(disk, 'memory.db')
const ballast = join(disk, 'ballast')
const ALL = { everything: true } as const
const scope = { layer: 'project' as const, identifiers: { projectId: 'p' } }
const memory = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding(), retry: { retries: 0 } })
writeFileSync(ballast, Buffer.alloc(1024 * 1024))

const caught = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ code, retryable, message }: MemoryError) => ({ code, retryable, message }),
  )
const acknowledged: string[] = []
let failure = null
for (let i = 0; i < 2000 && !failure; i++) {
  failure = await caught(
    memory
      .add({ exact: true, content: `Observation ${i} ${'x'.repeat(2000)}`, ...scope })
      .then(({ memory }) => acknowledged.push(memory.id)),
  )
}
const failedUpdate = await caught(memory.update(acknowledged[0]!, { content: 'y '.repeat(8000) }, ALL))
const untouched = (await memory.get(acknowledged[0]!, ALL))?.version
rmSync(ballast)
const added = (await memory.add({ exact: true, content: 'There is space again', ...scope })).memory.id
const { results } = await memory.search({ query: 'There is space again', identifiers: scope.identifiers })
await memory.shutdown()
const stored = query(path, 'SELECT ulid FROM memories ORDER BY ulid').map((row) => row.ulid)
acknowledged.push(added)
console.log(
  JSON.stringify({
    acknowledged,
    stored,
    failure,
    failedUpdate,
    untouched,
    found: results[0]?.memory.id,
    added,
    broken: findBrokenInvariants(path),
  }),
)
