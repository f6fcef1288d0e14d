import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { HomeServer, type ToolResult } from '../demo/home-server.ts'
import { restartServices } from '../demo/scripted-agent.ts'
import { writeJson } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

/** `nokosu demo-agent`: the scripted agent of the demo. It is given its memory like any agent other than Claude Code. */
export function configure(command: Command): void {
  command
    .argument('<day>', '1, 2 or 3: before the third day a service was upgraded', parseWhole)
    .option('--memory <variable>', 'the variable that has its memory', 'NOKOSU_CONTEXT')
    .option('--pause <milliseconds>', 'before each of its turns', parseWhole, 0)
    .action(work)
}

/** Prints what `claude -p --output-format stream-json --verbose` would. */
async function work(day: number, options: { pause: number; memory: string }): Promise<void> {
  const { NOKOSU_SESSION: session_id = 'demo', [options.memory]: memory = '' } = shell().env
  const print = (event: object) => writeJson(`${JSON.stringify({ ...event, session_id })}\n`)
  const server = new HomeServer(day)
  const agent = restartServices(memory)
  let result: ToolResult = { text: '', ok: true }
  let steps = 0
  await print({ type: 'system', subtype: 'init', model: 'scripted', tools: ['Bash'] })
  for (let turn = agent.next(); !turn.done; turn = agent.next(result)) {
    await pause(options.pause)
    if ('say' in turn.value) {
      await print({
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: turn.value.say }] },
      })
      continue
    }
    const { command } = turn.value
    const id = `toolu_${++steps}`
    const use = { type: 'tool_use', id, name: 'Bash', input: { command } }
    await print({ type: 'assistant', message: { role: 'assistant', content: [use] } })
    result = server.execute(command)
    const answer = { type: 'tool_result', tool_use_id: id, content: result.text, is_error: !result.ok }
    await print({ type: 'user', message: { role: 'user', content: [answer] } })
  }
  await print({ type: 'result', subtype: 'success', is_error: false, num_turns: steps, result: 'All three are up.' })
}
