import { hashingEmbedding } from '../../../src/embedding/hashing.ts'
import { openMemory } from '../../../src/engine/open-memory.ts'
import { sentence, sequence } from '../sentences.ts'

// Writes until killed. Prints each write after it was acknowledged, and each delete before it starts.
const [path, name] = process.argv.slice(2)
const random = sequence(Number(name))
const memory = await openMemory({ storage: `sqlite:${path}`, embedding: hashingEmbedding() })
const ALL = { everything: true } as const
const scope = { layer: 'project' as const, identifiers: { projectId: 'p' } }
const own: string[] = []
// The first write of a process is the slowest, because it compiles the guard's patterns.
const { memory: first } = await memory.add({ exact: true, content: sentence(random, `w${name}first`), ...scope })
console.log(`add ${first.id}`)
console.log('ready')
for (let i = 0; ; i++) {
  if (i % 5 === 0) {
    const batch = Array.from({ length: 20 }, (_, n) => ({
      content: sentence(random, `w${name}b${i}n${n}`),
      tags: [`batch-${name}-${i}`],
      ...scope,
    }))
    const { memories } = await memory.bulkAdd(batch, { exact: true })
    for (const { id } of memories) console.log(`add ${id}`)
  } else if (i % 5 === 3 && own.length > 3) {
    const id = own.shift()!
    console.log(`deleting ${id}`)
    await memory.delete(id, ALL)
    console.log(`delete ${id}`)
  } else if (i % 5 === 4 && own.length > 0) {
    const id = own[Math.floor(random() * own.length)]!
    const { memory: changed } = await memory.update(id, { content: sentence(random, `w${name}u${i}`) }, ALL)
    console.log(`update ${id} ${changed.version}`)
  } else {
    const { memory: added } = await memory.add({ exact: true, content: sentence(random, `w${name}n${i}`), ...scope })
    own.push(added.id)
    console.log(`add ${added.id}`)
  }
}
