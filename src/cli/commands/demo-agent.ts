import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from '../command.ts'
import { HomeServer, type ToolResult } from '../demo/home-server.ts'
import { restartServices } from '../demo/scripted-agent.ts'
import { writeJson } from '../output.ts'
import { text, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

/** `nokosu demo-agent`: the demo's scripted agent. It receives its memory like any agent other than Claude Code. */
export const { configure } = defineCommand({
  arguments: [['<day>', '1, 2 or 3; a service is upgraded before day 3', whole(1)]],
  options: {
    '--memory <variable>': ['the environment variable that holds its memories', text, 'NOKOSU_CONTEXT'],
    '--pause <milliseconds>': ['the pause before each of its turns', whole(0), 0],
  },
  run: ({ memory, pause }, day) => work(day, shell().env[memory] ?? '', pause),
})

async function work(day: number, memory: string, pauseMs: number): Promise<void> {
  const { NOKOSU_SESSION: session_id = 'demo' } = shell().env
  const print = (event: object) => writeJson(`${JSON.stringify({ ...event, session_id })}\n`)
  const say = (role: 'assistant' | 'user', block: object) => print({ type: role, message: { role, content: [block] } })
  const server = new HomeServer(day)
  const agent = restartServices(memory)
  let result: ToolResult = { text: '', ok: true }
  let steps = 0
  await print({ type: 'system', subtype: 'init', model: 'scripted', tools: ['Bash'] })
  for (let turn = agent.next(); !turn.done; turn = agent.next(result)) {
    await sleep(pauseMs)
    if ('say' in turn.value) {
      await say('assistant', { type: 'text', text: turn.value.say })
      continue
    }
    const { command } = turn.value
    const id = `toolu_${++steps}`
    await say('assistant', { type: 'tool_use', id, name: 'Bash', input: { command } })
    result = server.execute(command)
    await say('user', { type: 'tool_result', tool_use_id: id, content: result.text, is_error: !result.ok })
  }
  await print({ type: 'result', subtype: 'success', is_error: false, num_turns: steps, result: 'All three are up.' })
}
