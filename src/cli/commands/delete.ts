import { defineCommand } from '../command.ts'
import { agree } from '../confirm.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine } from '../output.ts'
import { nothingThere, resolveMemory } from '../resolve-id.ts'
import { shell } from '../shell.ts'
import { shorten } from '../short-id.ts'

export const { configure } = defineCommand({
  arguments: [['<id...>', 'the ids of memories, or 6 characters or more of each']],
  identifiers: 'claim',
  options: { '-y, --yes': 'do not ask' },
  help: `
Deletes memories. Asks before deleting several. A deleted memory can be restored with 'nokosu undelete' until it is purged.
Deleting one again changes nothing; an id that never existed is not found (exit code 4).

Examples:
  nokosu delete 9XTQYDJ2
  nokosu list --tag obsolete --all --json | jq -r '.memories[].id' | xargs nokosu delete --all --yes`,
  run: (options, given) =>
    withEngine(options, 'change', async (engine, config) => {
      const claim = readOnlooker(options, config)
      const ids: string[] = []
      for (const each of given) ids.push(await resolveMemory(engine, claim, each))
      if (ids.length > 1 && !(await agree(`Delete ${ids.length} memories?`, options)))
        return note('Nothing was deleted.')
      const [id] = ids as [string]
      if (ids.length === 1) {
        const memory = await engine.get(id, claim)
        const { changes } = memory === null ? await engine.history(id, { ...claim, limit: 1 }) : { changes: [] }
        if (memory === null && changes.length === 0) throw await nothingThere(engine, claim, id)
        const result = await engine.delete(id, claim)
        if (options.json) return printJson(result)
        if (memory === null) return note('Already deleted.')
        await printLine(`${paint('green', 'Deleted:')} ${memory.content}`)
        return note(`Restore it: nokosu undelete ${shorten(id)}`)
      }
      const result = await engine.bulkDelete(ids, claim)
      if (result.failed.length > 0) shell().exitCode = 1
      if (options.json) return printJson(result)
      await printLine(`Deleted ${result.deleted} of ${ids.length}.`)
      if (result.failed.length > 0) note(`Could not delete: ${result.failed.join(', ')}`)
      if (result.deleted > 0) note("'nokosu undelete' lists what was deleted, and restores it.")
    }),
})
