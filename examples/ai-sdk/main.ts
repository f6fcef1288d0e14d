// An AI SDK run with memory. The model is scripted, so no key is needed; replace it with your own.
import { generateText, isStepCount } from 'ai'
import { openMemory } from 'nokosu'
import { memoryTools } from 'nokosu/ai-sdk'
import { scriptedModel } from './scripted-model.ts'

const memory = await openMemory()
const shop = memory.as({ projectId: 'shop' })

for (const session of ['monday', 'tuesday']) {
  const { text } = await generateText({
    model: scriptedModel(), // such as anthropic('claude-sonnet-5')
    system: 'You restart services. Recall first; remember what you had to find out.',
    prompt: 'Restart the proxies',
    tools: memoryTools(shop, { session }),
    stopWhen: isStepCount(5),
  })
  console.log(`${session}: ${text}`)
}

await memory.shutdown()
