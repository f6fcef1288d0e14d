import { defineCommand } from '../command.ts'
import { doEach } from '../each.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine } from '../output.ts'
import { resolveMemory } from '../resolve-id.ts'
import { shell } from '../shell.ts'

function pinCommand(pinned: boolean, help: string) {
  return defineCommand({
    arguments: [['<id...>', 'the ids of memories, or 6 characters or more of each']],
    identifiers: 'claim',
    help,
    async run(options, given) {
      const { done, failed } = await withEngine(options, 'change', async (engine, config) => {
        const claim = readOnlooker(options, config)
        return doEach(given, async (each) => {
          const id = await resolveMemory(engine, claim, each)
          return (await engine.update(id, { pinned }, claim)).memory
        })
      })
      if (failed.length > 0) shell().exitCode = 1
      if (options.json) return printJson(given.length === 1 ? { memory: done[0] } : { memories: done, failed })
      const did = paint('green', pinned ? 'Pinned' : 'Unpinned')
      for (const { id, content } of done) await printLine(`${did} ${id}  ${content}`)
      for (const { id, message } of failed) note(`${id}: ${message}`)
    },
  })
}

export const pin = pinCommand(
  true,
  `
A pinned memory does not fade with age, and comes first when a context has no room for everything. Only an operator pins: an agent
inside a run cannot.

Examples:
  nokosu pin 9XTQYDJ2`,
)

export const unpin = pinCommand(
  false,
  `
The memory fades with age again from now on.

Examples:
  nokosu unpin 9XTQYDJ2`,
)
