import type { DeletedMemory } from '../../engine/restore.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { doEach } from '../each.ts'
import { place } from '../format-memory.ts'
import { noteHeld } from '../format-outcome.ts'
import { type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, noteEmpty, paint, printJson, printLine, write } from '../output.ts'
import { whole } from '../parse-flags.ts'
import { resolveMemory } from '../resolve-id.ts'
import { shell } from '../shell.ts'
import { shortIds } from '../short-id.ts'
import { formatTable } from '../table.ts'

interface Options extends GlobalOptions, ClaimOptions {
  limit?: number
}

export const { configure } = defineCommand({
  arguments: [['[id...]', 'the ids of deleted memories, or 6 characters or more of each']],
  identifiers: 'claim',
  options: { '-n, --limit <number>': ['list at most this many, up to 1000 (default: 100)', whole(1, 1000)] },
  help: `
Restores deleted memories, with their id, text and history. Without an id it lists what was deleted, newest first. Purged memories
are gone.

Examples:
  nokosu undelete
  nokosu undelete 9XTQYDJ2`,
  run: (options, given) => (given.length === 0 ? list(options) : bringBack(given, options)),
})

async function bringBack(given: readonly string[], options: Options): Promise<void> {
  const { done: restored, failed } = await withEngine(options, 'change', async (engine, config) => {
    const claim = readOnlooker(options, config)
    return doEach(given, async (each) => {
      const id = await resolveMemory(engine, claim, each, { deleted: true })
      return (await engine.restore(id, claim)).memory
    })
  })
  if (failed.length > 0) shell().exitCode = 1
  if (options.json) return printJson(given.length === 1 ? { memory: restored[0] } : { restored, failed })
  for (const { id, content } of restored) await printLine(`${paint('green', 'Restored')} ${id}  ${content}`)
  for (const { id, message } of failed) note(`${id}: ${message}`)
  noteHeld(restored.filter(({ trust }) => trust === 'quarantined').length)
}

async function list(options: Options): Promise<void> {
  const { limit } = options
  const found = await withEngine(options, 'read', (engine, config) =>
    engine.deleted({ ...readOnlooker(options, config), ...withoutUndefined({ limit }) }),
  )
  if (options.json) return printJson(found)
  const { deleted, totalCount } = found
  if (deleted.length === 0) return noteEmpty('Nothing was deleted here, or it has been purged.')
  const ids = shortIds(deleted.map(({ memory }) => memory.id))
  await write(
    formatTable<DeletedMemory>(deleted, [
      { title: 'ID', value: ({ memory }) => ids.get(memory.id)!, style: () => 'dim' },
      { title: 'DELETED', value: ({ at }) => at.slice(0, 16).replace('T', ' ') },
      { title: 'BY', value: ({ by }) => by, least: 8, spare: 1 },
      { title: 'WHERE', value: ({ memory }) => place(memory), style: () => 'cyan', least: 12, spare: 2 },
      { title: 'CONTENT', value: ({ memory }) => memory.content },
    ]),
  )
  const shown = totalCount > deleted.length ? ` The latest ${deleted.length} are shown; --limit shows more.` : ''
  note(`${countOf(totalCount, 'deleted memory', 'deleted memories')}.${shown}`)
  note(`Restore one: nokosu undelete ${ids.get(deleted[0]!.memory.id)}`)
}
