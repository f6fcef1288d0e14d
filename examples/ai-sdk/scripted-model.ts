// A stand-in for a model: calls recall, then remember if nothing was known, then answers.
import { MockLanguageModelV4 } from 'ai/test'

type Answer = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>
type Content = Answer['content']

const usage: Answer['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function answer(content: Content, unified: 'stop' | 'tool-calls'): Answer {
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
}

function call(toolName: string, input: object): Answer {
  return answer([{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }], 'tool-calls')
}

export function scriptedModel(): MockLanguageModelV4 {
  let known = false
  return new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      const said = JSON.stringify(prompt)
      if (!said.includes('"toolName":"recall"'))
        return call('recall', { query: 'In which order are caddy and WireGuard started?' })
      if (!said.includes('"toolName":"remember"')) {
        known = said.includes('after WireGuard')
        const observation = 'Caddy must be started after WireGuard'
        if (!known) return call('remember', { observation, category: 'dependency', service: 'caddy' })
      }
      const text = known ? 'Started caddy after WireGuard, at the first try.' : 'Caddy failed, then worked.'
      return answer([{ type: 'text', text }], 'stop')
    },
  })
}
