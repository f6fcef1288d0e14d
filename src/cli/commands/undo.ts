import { escapeTerminal } from '../../guard/escape.ts'
import type { Memory } from '../../model/memory.ts'
import { tellDecision } from '../../model/tell-decision.ts'
import { defineCommand } from '../command.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine } from '../output.ts'
import { MEMORY_ID, resolveMemory } from '../resolve-id.ts'

export const { configure } = defineCommand({
  arguments: [MEMORY_ID],
  identifiers: 'claim',
  help: `
Undoes the last decision about a memory: a repeat, a contradiction or correction, a settlement with 'nokosu relate --fix', or a
retraction. Confidence, visibility and links become what they would be without it, on the other memory too. Two memories that did not
contradict are not compared again, and text that was not a repeat becomes a memory of its own next time. Run it again to undo the
decision before. 'nokosu history' shows them all.

Only an operator can undo. An agent inside a run cannot.

Examples:
  nokosu undo 9XTQYDJ2
  nokosu history 9XTQYDJ2`,
  async run(options, given) {
    const result = await withEngine(options, 'change', async (engine, config) => {
      const claim = readOnlooker(options, config)
      return engine.undo(await resolveMemory(engine, claim, given), claim)
    })
    if (options.json) return printJson(result)
    const { memory, others, undone } = result
    for (const decision of undone) {
      await printLine(`${paint('green', 'Undone')}  ${tellDecision({ ...decision, undone: false }, escapeTerminal)}`)
      if (decision.kind === 'reinforced' && decision.other?.content)
        note(`That text is stored nowhere else. To keep it: nokosu add ${JSON.stringify(decision.other.content)}`)
    }
    for (const each of [memory, ...others]) await printLine(asItIs(each))
  },
})

export function asItIs({ id, content, confidence, active }: Memory): string {
  const state = active ? '' : ', inactive'
  return `${paint('dim', id)}  ${confidence.toFixed(2)}${state}  ${escapeTerminal(content)}`
}
