import type { Command } from 'commander'
import type { Nokosu } from '../../engine/nokosu.ts'
import { LIMITS } from '../../model/limits.ts'
import { SOURCES, type Source } from '../../model/memory.ts'
import type { MemoryList } from '../../model/provider.ts'
import type { Claim } from '../../model/schema.ts'
import { choice } from '../choice.ts'
import { commandLine } from '../command-line.ts'
import { claimFlags, explainUnknownNames, firstMemory, whose } from '../explain-empty.ts'
import { memoryColumns } from '../format-memory.ts'
import { readOnlooker } from '../identifiers.ts'
import { addSelectionOptions, readSelection, type SelectionOptions } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, noteEmpty, printJson, toJson, write, writeJson } from '../output.ts'
import { wholeIn } from '../parse-flags.ts'
import { resolveSession } from '../resolve-id.ts'
import { formatTable } from '../table.ts'

interface Options extends GlobalOptions, SelectionOptions {
  source?: Source
  fromSession?: string
  limit?: number | 'all'
  long?: boolean
  cursor?: string
}

/** `nokosu list` */
export function configure(command: Command): void {
  addSelectionOptions(command)
    .addOption(choice('--source <source>', 'only memories of this source', SOURCES))
    .option('--from-session <id>', 'only what this session left; 6 characters or more of its id')
    .option('--limit <number>', "at most this many, up to 100, or 'all' (default: 50; all with --all)", parseLimit)
    .option('--long', 'whole ids, and no column is left out')
    .option('--cursor <cursor>', 'continue where a list stopped')
    .addHelpText(
      'after',
      `
Lists what is remembered, newest first. The id in the table is the end of the whole one, and enough for 'nokosu get'.

Examples:
  nokosu list
  nokosu list --project shop --category timing
  nokosu list --all --json | jq -r '.memories[].content'`,
    )
    .action(list)
}

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { source, fromSession, cursor } = options
  const limit = options.limit ?? (options.all && cursor === undefined ? 'all' : undefined)
  await withEngine(options, 'read', async (engine, config) => {
    const claim = readOnlooker(options, config)
    const request: Request = {
      ...claim,
      ...readSelection(options),
      ...(source === undefined ? {} : { source }),
      ...(fromSession === undefined ? {} : { session: await resolveSession(engine, claim, fromSession) }),
      ...(limit === undefined ? {} : { limit: limit === 'all' ? LIMITS.listLimit : limit }),
      ...(cursor === undefined ? {} : { cursor }),
    }
    if (limit === 'all' && options.json) return streamJson(engine, request)
    const found = limit === 'all' ? await printAll(engine, request, options) : await printPage(engine, request, options)
    if (found > 0 || options.json) return
    noteEmpty((await explainUnknownNames(engine, options)) ?? describeEmpty(claim, options))
  })
}

function describeEmpty(claim: Claim, options: Options): string {
  const narrowed = Object.keys(readSelection(options)).length > 0 || options.source || options.fromSession
  if (narrowed)
    return `No memories of ${whose(claim)} match. All of them:\n  ${commandLine('list', ...claimFlags(options))}`
  return `No memories of ${whose(claim)} yet. Leave one:\n  ${firstMemory(options)}`
}

type Request = Parameters<Nokosu['list']>[0]

function parseLimit(text: string): number | 'all' {
  if (text === 'all') return text
  return wholeIn('--limit', 1, LIMITS.listLimit)(text)
}

async function printPage(engine: Nokosu, request: Request, options: Options): Promise<number> {
  const page = await engine.list(request)
  if (options.json) await printJson(page)
  else if (page.memories.length > 0) await write(formatTable(page.memories, memoryColumns(page.memories, options)))
  if (page.nextCursor !== null && !options.json) {
    note(`${page.memories.length} of ${page.totalCount}. More: --cursor ${page.nextCursor}, or --limit all`)
  }
  return page.memories.length
}

async function* pages(engine: Nokosu, request: Request): AsyncGenerator<MemoryList> {
  let page = await engine.list(request)
  yield page
  while (page.nextCursor !== null) {
    page = await engine.list({ ...request, cursor: page.nextCursor })
    yield page
  }
}

async function printAll(engine: Nokosu, request: Request, options: Options): Promise<number> {
  let count = 0
  for await (const { memories } of pages(engine, request)) {
    count += memories.length
    if (memories.length > 0) await write(formatTable(memories, memoryColumns(memories, options)))
  }
  return count
}

/** One list result with all memories in it. It is written while it is read, so that a large store needs little memory. */
async function streamJson(engine: Nokosu, request: Request): Promise<void> {
  let count = 0
  let totalCount = 0
  await writeJson('{"memories":[')
  for await (const page of pages(engine, request)) {
    totalCount = page.totalCount
    await writeJson(page.memories.map((memory) => `${count++ === 0 ? '' : ','}\n${toJson(memory)}`).join(''))
  }
  await writeJson(`\n],"nextCursor":null,"totalCount":${totalCount}}\n`)
}
