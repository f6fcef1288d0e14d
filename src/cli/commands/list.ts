import { type Command, InvalidArgumentError } from 'commander'
import type { Nokosu } from '../../engine/nokosu.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Source } from '../../model/memory.ts'
import type { MemoryList } from '../../model/provider.ts'
import { MEMORY_COLUMNS } from '../format-memory.ts'
import { readOnlooker } from '../identifiers.ts'
import { addSelectionOptions, readSelection, type SelectionOptions } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, printJson, toJson, write, writeJson } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'
import { formatTable } from '../table.ts'

interface Options extends GlobalOptions, SelectionOptions {
  source?: Source
  fromSession?: string
  limit?: number | 'all'
  cursor?: string
}

/** `nokosu list` */
export function configure(command: Command): void {
  addSelectionOptions(command)
    .option('--source <source>', 'only memories of this source')
    .option('--from-session <id>', 'only memories that this session left')
    .option('--limit <number>', "at most this many, up to 100, or 'all' (default: 50; all with --all)", parseLimit)
    .option('--cursor <cursor>', 'continue where a list stopped')
    .addHelpText(
      'after',
      `
Examples:
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
    const request: Request = {
      ...readOnlooker(options, config),
      ...readSelection(options),
      ...(source === undefined ? {} : { source }),
      ...(fromSession === undefined ? {} : { session: fromSession }),
      ...(limit === undefined ? {} : { limit: limit === 'all' ? LIMITS.listLimit : limit }),
      ...(cursor === undefined ? {} : { cursor }),
    }
    if (limit !== 'all') return printPage(await engine.list(request), options)
    return options.json ? streamJson(engine, request) : printAll(engine, request)
  })
}

type Request = Parameters<Nokosu['list']>[0]

function parseLimit(text: string): number | 'all' {
  if (text === 'all') return text
  if (/^\d+$/.test(text)) return parseWhole(text)
  throw new InvalidArgumentError("It must be a number, or 'all'.")
}

async function printPage(page: MemoryList, { json }: Options): Promise<void> {
  if (json) return printJson(page)
  if (page.memories.length === 0) return note('No memories.')
  await write(formatTable(page.memories, MEMORY_COLUMNS))
  const shown = `${page.memories.length} of ${page.totalCount}.`
  if (page.nextCursor !== null) note(`${shown} More: --cursor ${page.nextCursor}, or --limit all`)
}

async function* pages(engine: Nokosu, request: Request): AsyncGenerator<MemoryList> {
  let page = await engine.list(request)
  yield page
  while (page.nextCursor !== null) {
    page = await engine.list({ ...request, cursor: page.nextCursor })
    yield page
  }
}

async function printAll(engine: Nokosu, request: Request): Promise<void> {
  for await (const page of pages(engine, request)) {
    if (page.memories.length === 0) note('No memories.')
    else await write(formatTable(page.memories, MEMORY_COLUMNS))
  }
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
