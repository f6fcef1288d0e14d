// A Mastra agent with memory. The model is the scripted one of the AI SDK example; replace it with your own.
import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import { openMemory } from 'nokosu'
import { memoryProcessor, memoryTools } from 'nokosu/mastra'
import { scriptedModel } from '../ai-sdk/scripted-model.ts'

const memory = await openMemory()
const shop = memory.as({ projectId: 'shop' })

for (const session of ['monday', 'tuesday']) {
  const nokosu = memoryProcessor(shop, { session }) // adds known memories, and captures markers from answers
  const agent = new Agent({
    id: 'nori',
    name: 'Nori',
    instructions: 'You restart services. Recall first; remember what you had to find out.',
    model: scriptedModel() as MastraModelConfig, // such as 'anthropic/claude-sonnet-5'
    tools: memoryTools(shop, { session }),
    inputProcessors: [nokosu],
    outputProcessors: [nokosu],
  })
  const { text } = await agent.generate('Restart the proxies', { maxSteps: 5 })
  console.log(`${session}: ${text}`)
}

await memory.shutdown()
