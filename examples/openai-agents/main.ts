// An OpenAI Agents SDK agent with memory. The model is scripted, so no key is needed; omit it to use a real one.
import { Agent, run, setTracingDisabled } from '@openai/agents-core'
import { assistantMessage, ScriptedModel } from '@openai/agents-core/testing'
import { openMemory } from 'nokosu'
import { memoryTools, withMemory } from 'nokosu/openai-agents'

setTracingDisabled(true)
const memory = await openMemory()
const shop = memory.as({ projectId: 'shop' })

for (const session of ['monday', 'tuesday']) {
  const model = new ScriptedModel([[assistantMessage('[MEMORY:dependency:caddy] Must be started after WireGuard')]])
  const agent = new Agent({
    name: 'Nori',
    instructions: 'You restart services.',
    tools: memoryTools(shop, { session }),
    model,
  })
  const nokosu = withMemory(shop, { session })
  const { finalOutput } = await run(agent, 'Restart the proxies', nokosu)
  await nokosu.answered(finalOutput)
  const known = model.calls[0]?.request.systemInstructions?.includes('- [dependency] Must be started after WireGuard')
  console.log(`${session}: ${known ? 'knew it' : 'did not know'}`)
}

await memory.shutdown()
