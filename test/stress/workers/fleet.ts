import { openFleet } from '../fleet-store.ts'

// One process of a fleet: opens the store, waits for a line on its standard input, and repeats one operation as often as requested.
const [url, what, name, times, clock] = process.argv.slice(2)
const memory = await openFleet(url!, { actor: name!, ...(clock === '' ? {} : { now: () => new Date(clock!) }) })
console.log('ready')
await new Promise<void>((resolve) => process.stdin.once('data', () => resolve()))

for (let i = 0; i < Number(times); i++) {
  if (what === 'add') {
    const identifiers = { agentId: 'coder', projectId: 'shop' }
    const added = await memory.add({ exact: true, content: `Observation ${i} of ${name}`, layer: 'agent', identifiers })
    console.log(`add ${added.memory.id}`)
  } else if (what === 'confirm') {
    const candidate = { content: 'The queue drains every minute', category: 'timing' as const, service: `web${i}` }
    const target = { identifiers: { projectId: 'shop' }, session: `run of ${name}` }
    const [outcome] = await memory.remember([candidate], target)
    console.log(`confirm ${outcome!.kind}`)
  } else if (what === 'sweep') console.log(`sweep ${JSON.stringify(await memory.sweep())}`)
}
await memory.shutdown()
process.stdin.destroy()
