import { MemoryError } from '../../model/errors.ts'
import { defineCommand } from '../command.ts'
import { formatChanges } from '../format-history.ts'
import { formatMemory } from '../format-memory.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, printJson, printLine } from '../output.ts'
import { readHistory } from '../read-history.ts'
import { MEMORY_ID, nothingThere, resolveMemory } from '../resolve-id.ts'
import { shorten } from '../short-id.ts'

export const { configure } = defineCommand({
  arguments: [MEMORY_ID],
  identifiers: 'claim',
  options: { '--history': "also show every change, as 'nokosu history' does" },
  help: `
Examples:
  nokosu get 9XTQYDJ2
  nokosu get --project shop 01JZX5VQ3M7N8P9R0S1T2V3W4X --history`,
  run: (options, given) =>
    withEngine(options, 'read', async (engine, config) => {
      const claim = readOnlooker(options, config)
      const deleted = options.history === true
      const id = await resolveMemory(engine, claim, given, { deleted }).catch(async (error) => {
        // Like the library: prints null, and the exit code says that it was not found.
        if (options.json && !deleted && MemoryError.is(error) && error.code === 'MEMORY_NOT_FOUND') {
          await printJson(null)
        }
        throw error
      })
      const changes = deleted ? await readHistory(engine, claim, id) : []
      if (deleted && options.json) return printJson({ changes, nextCursor: null })
      const memory = await engine.get(id, claim)
      if (options.json) await printJson(memory)
      if (memory === null && !deleted) throw await nothingThere(engine, claim, id)
      if (options.json) return
      const decided = await engine.decisions(id, claim)
      const [usefulness] = memory === null ? [] : await engine.usefulness([id], claim)
      await printLine(memory === null ? 'It was deleted.' : formatMemory(memory, decided, usefulness))
      if (changes.length > 0) await printLine(`\n${formatChanges(changes, decided.decisions)}`)
      if (memory === null) note(`Restore it: nokosu undelete ${shorten(id)}`)
    }),
})
