import { type Command, Option } from 'commander'
import type { Nokosu } from '../../engine/open-memory.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Source } from '../../model/memory.ts'
import type { ListRequest } from '../../model/schema.ts'
import { MEMORY_COLUMNS } from '../format-memory.ts'
import { addSelectionOptions, readSelection, type SelectionOptions } from '../memory-options.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { formatTable, note, printJson, toJson, write } from '../output.ts'
import { parseWhole } from '../parse-flags.ts'

interface Options extends GlobalOptions, SelectionOptions {
  source?: Source
  fromSession?: string
  limit?: number
  cursor?: string
  all?: boolean
}

/** `nokosu list` */
export function configure(command: Command): void {
  addSelectionOptions(command)
    .option('--source <source>', 'written by this source')
    .option('--from-session <id>', 'left behind by this session')
    .option('--limit <number>', 'at most this many, up to 100 (default: 50)', parseWhole)
    .option('--cursor <cursor>', 'go on where a list stopped')
    .addOption(new Option('--all', 'everything, page after page').conflicts('limit'))
    .addHelpText(
      'after',
      `
Without identifiers and layers the whole store is listed.

Examples:
  nokosu list --project shop --category timing
  nokosu list --all --json | jq -r '.memories[].content'`,
    )
    .action(list)
}

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { source, fromSession, cursor, all } = options
  const limit = all ? LIMITS.listLimit : options.limit
  const request: ListRequest = {
    ...readSelection(options),
    ...(source === undefined ? {} : { source }),
    ...(fromSession === undefined ? {} : { session: fromSession }),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  await withEngine(options, 'read', async (engine) => {
    if (!all) return printPage(await engine.list(request), options)
    return options.json ? streamJson(engine, request) : printAll(engine, request)
  })
}

type Page = Awaited<ReturnType<Nokosu['list']>>

async function printPage(page: Page, { json }: Options): Promise<void> {
  if (json) return printJson(page)
  if (page.memories.length === 0) return note('No memories here.')
  await write(formatTable(page.memories, MEMORY_COLUMNS))
  const shown = `${page.memories.length} of ${page.totalCount}.`
  if (page.nextCursor !== null) note(`${shown} More: --cursor ${page.nextCursor}, or --all`)
}

async function* pages(engine: Nokosu, request: ListRequest): AsyncGenerator<Page> {
  let page = await engine.list(request)
  yield page
  while (page.nextCursor !== null) {
    page = await engine.list({ ...request, cursor: page.nextCursor })
    yield page
  }
}

async function printAll(engine: Nokosu, request: ListRequest): Promise<void> {
  for await (const page of pages(engine, request)) {
    if (page.memories.length === 0) note('No memories here.')
    else await write(formatTable(page.memories, MEMORY_COLUMNS))
  }
}

/** One list result with everything in it, written as it is read, so that a large store needs little memory. */
async function streamJson(engine: Nokosu, request: ListRequest): Promise<void> {
  let count = 0
  let totalCount = 0
  await write('{"memories":[')
  for await (const page of pages(engine, request)) {
    totalCount = page.totalCount
    await write(page.memories.map((memory) => `${count++ === 0 ? '' : ','}\n${toJson(memory)}`).join(''))
  }
  await write(`\n],"nextCursor":null,"totalCount":${totalCount}}\n`)
}
