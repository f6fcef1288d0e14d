import { hashingEmbedding } from '../../../src/embedding/hashing.ts'
import { openMemory } from '../../../src/engine/open-memory.ts'
import { MemoryError } from '../../../src/model/errors.ts'
import { sentence, sequence } from '../sentences.ts'

// Adds, updates, deletes and searches, in a number of steps, on a file that others use too. Prints a line for every acknowledged write,
// and one for everything that should not have happened.
const [path, name, steps] = process.argv.slice(2)
const random = sequence(Number(name) + 1)
const memory = await openMemory({
  storage: `sqlite:${path}`,
  embedding: hashingEmbedding(),
  actor: `process ${name}`,
  retry: { retries: 0 },
})
const ALL = { everything: true } as const
const identifiers = { projectId: 'shared' }
const scope = { layer: 'project' as const, identifiers }

async function pick(): Promise<{ id: string; content: string; version: number } | undefined> {
  const { memories } = await memory.list({ identifiers, limit: 30 })
  return memories[Math.floor(random() * memories.length)]
}

/** A memory deleted by another process is not an error. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!MemoryError.is(error) || error.code !== 'MEMORY_NOT_FOUND') throw error
  }
}

/** A readable memory must be found by its own text, whichever process wrote it. */
async function checkFreshness(): Promise<void> {
  const target = await pick()
  if (!target) return
  const { results } = await memory.search({
    query: target.content,
    identifiers,
    mode: 'semantic',
    threshold: 0.9,
    limit: 20,
  })
  if (results.some((result) => result.memory.id === target.id)) return
  const now = await memory.get(target.id, ALL)
  if (now && now.version === target.version) console.log(`stale ${target.id} ${target.content}`)
}

for (let i = 0; i < Number(steps); i++) {
  try {
    const dice = random()
    if (dice < 0.45) {
      const { memory: added } = await memory.add({
        exact: true,
        content: sentence(random, `p${name}n${i}`),
        ...scope,
        session: `run ${i % 3}`,
      })
      console.log(`add ${added.id}`)
    } else if (dice < 0.65) {
      const target = await pick()
      if (target) {
        await unlessGone(async () => {
          const change =
            dice < 0.55 ? { content: sentence(random, `p${name}u${i}`) } : { metadata: { [`by${name}`]: i } }
          console.log(`update ${target.id} ${(await memory.update(target.id, change, ALL)).memory.version}`)
        })
      }
    } else if (dice < 0.75) {
      const target = await pick()
      if (target) {
        await memory.delete(target.id, ALL)
        console.log(`delete ${target.id}`)
      }
    } else if (dice < 0.85) {
      const target = await pick()
      if (target) {
        const entries = [{ memory: target.id, position: 1, tokens: 10 }]
        await memory.recordShowing({ ...ALL, session: `run ${i % 3}`, format: 'query', entries })
        console.log(`recall ${target.id}`)
      }
    } else {
      await checkFreshness()
    }
  } catch (error) {
    console.log(`error ${(error as Error).message} ${(error as Error).stack}`.replaceAll('\n', ' '))
  }
}
await memory.shutdown()
