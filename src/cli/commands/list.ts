import type { Nokosu } from '../../engine/nokosu.ts'
import { LIMITS } from '../../model/limits.ts'
import { type Memory, SOURCES } from '../../model/memory.ts'
import { everyPage } from '../../model/page.ts'
import type { Claim } from '../../model/schema.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand, type Reader } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { claimFlags, explainUnknownNames, firstMemory, whose } from '../explain-empty.ts'
import { memoryColumns, readStates } from '../format-memory.ts'
import { compareUsefulness, usefulnessColumns } from '../format-usefulness.ts'
import { type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { readSelection, SELECTION_OPTIONS } from '../memory-options.ts'
import { withEngine } from '../open-engine.ts'
import { note, noteEmpty, printJson, toJson, write, writeJson } from '../output.ts'
import { oneOf, whole } from '../parse-flags.ts'
import { resolveSession } from '../resolve-id.ts'
import { formatTable } from '../table.ts'

const limitOrAll: Reader<number | 'all'> = (text, _, flag) =>
  text === 'all' ? text : whole(1, LIMITS.listLimit)(text, undefined, flag)

export const { configure } = defineCommand({
  identifiers: 'claim',
  options: {
    ...SELECTION_OPTIONS,
    '--source <source>': ['only memories of this source', oneOf(SOURCES)],
    '--from-session <id>': 'only what this session recorded; 6 characters or more of its id',
    '-n, --limit <number>': ["at most this many, up to 100, or 'all' (default: 50; all with --all)", limitOrAll],
    '--sort <order>': ['newest, or usefulness: how the runs that saw them ended', oneOf(['newest', 'usefulness'])],
    '--long': 'full ids and all columns',
    '--cursor <cursor>': 'continue from an earlier list',
  },
  help: `
Lists memories, newest first. The table shows the end of each id, which is enough for 'nokosu get'.

With --sort usefulness: the memories that were shown most often, and how many runs that saw them succeeded, compared with runs of the
same project and role without them. The interval is a 95 % confidence interval; with fewer than ten runs on either side nothing is
claimed. It shows what happened together, not why, and never changes confidence.

Examples:
  nokosu list
  nokosu list --project shop --category timing
  nokosu list --all --json | jq -r '.memories[].content'`,
  async run(options) {
    const { source, fromSession, cursor } = options
    const limit = options.limit ?? (options.all && cursor === undefined ? 'all' : undefined)
    await withEngine(options, 'read', async (engine, config) => {
      const claim = readOnlooker(options, config)
      const selection = readSelection(options)
      const session = fromSession === undefined ? undefined : await resolveSession(engine, claim, fromSession)
      const request: Request = {
        ...claim,
        ...selection,
        ...withoutUndefined({ source, session, cursor, limit: limit === 'all' ? LIMITS.listLimit : limit }),
      }
      if (options.sort === 'usefulness') {
        return printUsefulness(engine, claim, request, options, typeof limit === 'number' ? limit : LIMITS.listLimit)
      }
      if (limit === 'all' && options.json) return streamJson(engine, request)
      const found =
        limit === 'all'
          ? await printAll(engine, claim, request, options)
          : await printPage(engine, claim, request, options)
      if (found > 0 || options.json) return
      const narrowed = Object.keys(selection).length > 0 || source !== undefined || session !== undefined
      noteEmpty((await explainUnknownNames(engine, options, config)) ?? describeEmpty(claim, options, narrowed))
    })
  },
})

function describeEmpty(claim: Claim, options: ClaimOptions, narrowed: boolean): string {
  const whole = `All of them:\n  ${commandLine('list', ...claimFlags(options))}`
  if (narrowed) return `No memories of ${whose(claim)} match. ${whole}`
  return `No memories of ${whose(claim)} yet. Add one:\n  ${firstMemory(options)}`
}

type Request = Parameters<Nokosu['list']>[0]

interface Shape {
  json?: boolean
  long?: boolean
}

async function printPage(engine: Nokosu, claim: Claim, request: Request, shape: Shape): Promise<number> {
  const { json } = shape
  const page = await engine.list(request)
  const { memories, nextCursor, totalCount } = page
  if (json) await printJson(page)
  else await printTable(engine, claim, memories, shape)
  if (nextCursor !== null && !json) {
    note(`${memories.length} of ${totalCount}. More: --cursor ${nextCursor}, or --limit all`)
  }
  return memories.length
}

async function printTable(engine: Nokosu, claim: Claim, memories: readonly Memory[], shape: Shape): Promise<void> {
  if (memories.length === 0) return
  await write(formatTable(memories, memoryColumns(memories, await readStates(engine, claim, memories), shape)))
}

async function printUsefulness(
  engine: Nokosu,
  claim: Claim,
  request: Request,
  shape: Shape,
  limit: number,
): Promise<void> {
  const shown: Memory[] = []
  for await (const { memories } of everyPage((position) =>
    engine.list({ ...request, limit: LIMITS.listLimit, ...position }),
  ))
    shown.push(...memories.filter(({ recallCount }) => recallCount > 0))
  const most = shown.toSorted((a, b) => b.recallCount - a.recallCount).slice(0, LIMITS.listLimit)
  const figures = await engine.usefulness(
    most.map(({ id }) => id),
    claim,
  )
  const byId = new Map(most.map((memory) => [memory.id, memory]))
  const rated = figures
    .map((usefulness) => ({ memory: byId.get(usefulness.memory)!, usefulness }))
    .sort(compareUsefulness)
    .slice(0, limit)
  if (shape.json) return printJson({ memories: rated })
  if (rated.length === 0) return noteEmpty('No run has been shown a memory yet.')
  await write(formatTable(rated, usefulnessColumns(rated, shape)))
}

async function printAll(engine: Nokosu, claim: Claim, request: Request, shape: Shape): Promise<number> {
  let count = 0
  for await (const { memories } of everyPage((position) => engine.list({ ...request, ...position }))) {
    count += memories.length
    await printTable(engine, claim, memories, shape)
  }
  return count
}

/** Prints one list result with all memories. Streams it, so that a large store needs little memory. */
async function streamJson(engine: Nokosu, request: Request): Promise<void> {
  let count = 0
  let totalCount = 0
  await writeJson('{"memories":[')
  for await (const page of everyPage((position) => engine.list({ ...request, ...position }))) {
    totalCount = page.totalCount
    await writeJson(page.memories.map((memory) => `${count++ === 0 ? '' : ','}\n${toJson(memory)}`).join(''))
  }
  await writeJson(`\n],"nextCursor":null,"totalCount":${totalCount}}\n`)
}
