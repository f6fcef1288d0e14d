// A graph whose node stores what it learned in Nokosu. Run it twice: the second run knows it.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { openMemory } from 'nokosu'
import { NokosuStore } from 'nokosu/langgraph'

const memory = await openMemory()
const store = new NokosuStore(memory.as({ projectId: 'shop' }))
const namespace = ['services', 'caddy']

const State = Annotation.Root({ task: Annotation<string>, answer: Annotation<string> })

const graph = new StateGraph(State)
  .addNode('work', async ({ task }, config) => {
    const known = await config.store?.search(['services'], { query: task })
    const [best] = known ?? []
    if (best) return { answer: `I know: ${best.value.text}` }
    await config.store?.put(namespace, 'order', { text: 'Caddy must be started after WireGuard', status: 'open' })
    return { answer: 'I had to find out.' }
  })
  .addEdge(START, 'work')
  .addEdge('work', END)
  .compile({ store })

for (const day of ['monday', 'tuesday']) {
  const { answer } = await graph.invoke({ task: 'When is caddy started, before or after WireGuard?' })
  console.log(`${day}: ${answer}`)
}
console.log(JSON.stringify(await store.listNamespaces()))

await memory.shutdown()
