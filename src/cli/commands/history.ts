import { escapeTerminal } from '../../guard/escape.ts'
import { tellStanding } from '../../model/tell-decision.ts'
import { defineCommand } from '../command.ts'
import { formatChanges } from '../format-history.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, printJson, printLine } from '../output.ts'
import { readHistory } from '../read-history.ts'
import { MEMORY_ID, resolveMemory } from '../resolve-id.ts'
import { shorten } from '../short-id.ts'

export const { configure } = defineCommand({
  arguments: [MEMORY_ID],
  identifiers: 'claim',
  help: `
Shows every change to a memory, oldest first: when, by whom, and the words that changed, as [-old-]{+new+} or in colour on a
terminal, and what was decided, with the reason and the other text. A deleted memory keeps its history until it is purged.

Examples:
  nokosu history 9XTQYDJ2
  nokosu history --all 01JZX5VQ3M7N8P9R0S1T2V3W4X --json`,
  async run(options, given) {
    const { changes, ...decided } = await withEngine(options, 'read', async (engine, config) => {
      const claim = readOnlooker(options, config)
      const id = await resolveMemory(engine, claim, given, { deleted: true })
      const changes = await readHistory(engine, claim, id)
      return { changes, ...(await engine.decisions(id, claim)) }
    })
    if (options.json) return printJson({ changes, nextCursor: null, ...decided })
    await printLine(formatChanges(changes, decided.decisions))
    const standing = tellStanding(decided, escapeTerminal)
    if (standing !== null) await printLine(`Now ${standing}`)
    const last = changes.at(-1)!
    if (last.operation === 'delete') note(`It was deleted. Restore it: nokosu undelete ${shorten(last.memory)}`)
  },
})
