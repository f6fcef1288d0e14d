// Your own agent in three lines: it gets the known memories, works, and its output is captured.
import { openMemory } from 'nokosu'

const memory = await openMemory() // .nokosu/memory.db in this folder
const nori = memory.as({ agentId: 'nori', projectId: 'shop' })

/** A stand-in for a model call that does better with more memories. */
async function agent(task: string, known: string): Promise<string> {
  if (known.includes('after WireGuard')) return `${task}: started caddy after WireGuard, at the first try.`
  return `${task}: caddy failed, then worked.\n[MEMORY:dependency:caddy] Must be started after WireGuard`
}

for (const session of ['monday', 'tuesday']) {
  const { text, included } = await nori.context({ format: 'operational', session })
  const answer = await agent('Restart the proxies', text)
  const { outcomes } = await nori.capture(answer, { format: 'text', session })
  console.log(`${session}: shown ${included.length}, learned ${outcomes.length}. ${answer.split('\n')[0]}`)
}

await memory.shutdown()
