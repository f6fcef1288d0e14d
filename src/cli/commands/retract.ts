import { escapeTerminal } from '../../guard/escape.ts'
import { isRetracted } from '../../lifecycle/decisions.ts'
import { defineCommand } from '../command.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { MEMORY_ID, resolveMemory } from '../resolve-id.ts'
import { shorten } from '../short-id.ts'
import { asItIs } from './undo.ts'

export const { configure } = defineCommand({
  arguments: [MEMORY_ID],
  identifiers: 'claim',
  required: { '--why <text>': 'why it was wrong: agents that were shown it read this' },
  help: `
Withdraws a memory that was wrong all along. No command shows it to an agent again, and its text is not stored again; operators keep
it, with its history. Memories that it weakened regain their confidence. The runs that were shown it are listed, running ones are told
at their next moment, and what depends on it (memories that confirm it, lessons of those runs) goes to 'nokosu review'.

If a fact was true and has changed, add the new fact instead. Only an operator retracts. To take it back: nokosu undo.

Examples:
  nokosu retract 9XTQYDJ2 --why "The port was read from the wrong host"`,
  async run(options, given) {
    const result = await withEngine(options, 'change', async (engine, config) => {
      const claim = readOnlooker(options, config)
      return engine.retract(await resolveMemory(engine, claim, given), { ...claim, why: options.why })
    })
    if (options.json) return printJson(result)
    const { memory, others, runs, review } = result
    await printLine(`${paint('green', 'Retracted')}  ${escapeTerminal(memory.content)}`)
    for (const each of others) await printLine(`${isRetracted(each) ? 'with it  ' : 'restored '}  ${asItIs(each)}`)
    for (const { session, agent, at, running } of runs) {
      const who = agent === null ? '' : ` of ${agent}`
      const now = running ? paint('yellow', 'still running: it is told at its next moment') : 'ended'
      await printLine(`shown to   ${escapeTerminal(`${session}${who}`)}, ${at}, ${now}`)
    }
    if (runs.length === 0) await printLine('No run was shown it.')
    for (const each of review) await printLine(`review     ${asItIs(each)}`)
    if (review.length > 0) note(`${countOf(review.length, 'memory depends', 'memories depend')} on it: nokosu review`)
    note(`To take it back: nokosu undo ${shorten(memory.id)}`)
  },
})
