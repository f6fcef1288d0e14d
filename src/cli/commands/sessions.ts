import type { Nokosu } from '../../engine/nokosu.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import { describeShowing } from '../../model/moment.ts'
import type { Session } from '../../model/records.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { explainUnknownNames, whose } from '../explain-empty.ts'
import { formatFields, memoryColumns, readStates } from '../format-memory.ts'
import { type ClaimOptions, readClaim, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, noteEmpty, paint, printJson, printLine, write } from '../output.ts'
import { whole } from '../parse-flags.ts'
import { resolveSession } from '../resolve-id.ts'
import { shell } from '../shell.ts'
import { shortIds } from '../short-id.ts'
import { type Column, formatTable } from '../table.ts'

interface Options extends GlobalOptions, ClaimOptions {
  limit?: number
  cursor?: string
}

export const { configure } = defineCommand({
  arguments: [['[id]', 'show this session: its id, or 6 characters or more of it']],
  identifiers: 'claim',
  options: {
    '-n, --limit <number>': ['at most this many, up to 1000 (default: 50)', whole(1, LIMITS.pageLimit)],
    '--cursor <cursor>': 'continue from an earlier list',
  },
  help: `
Lists the runs of agents, newest first, or shows one: how it ended, what it was shown and what it recorded.

Examples:
  nokosu sessions --limit 10
  nokosu sessions 9XTQYDJ2`,
  run: (options, id) => (id === undefined ? list(options) : show(id, options)),
})

function columnsOf(sessions: readonly Session[]): readonly Column<Session>[] {
  const { isTTY } = shell().stdout
  const ids = shortIds(sessions.map(({ id }) => id))
  const time = (at: string) => (isTTY ? at.slice(0, 16).replace('T', ' ') : at)
  return [
    { title: 'ID', value: ({ id }) => (isTTY ? ids.get(id)! : id), style: () => 'dim', least: 12 },
    { title: 'AGENT', value: ({ agent }) => agent ?? '-', least: 6 },
    { title: 'PROJECT', value: ({ project }) => project ?? '-', least: 8, spare: 2 },
    { title: 'TIER', value: ({ tier }) => (tier === null ? '-' : String(tier)), align: 'right', spare: 3 },
    { title: 'STARTED', value: ({ startedAt }) => time(startedAt) },
    { title: 'STATE', value: ({ endedAt }) => (endedAt === null ? 'open' : `ended ${time(endedAt)}`), spare: 1 },
    { title: 'EXIT', value: ({ exitCode }) => (exitCode === null ? '-' : String(exitCode)), align: 'right' },
    { title: 'OUTCOME', value: ({ outcome }) => outcome ?? '-' },
  ]
}

async function list(options: Options): Promise<void> {
  const { limit, cursor } = options
  await withEngine(options, 'read', async (engine, config) => {
    const claim = readClaim(options, config)
    const page = await engine.sessions({ ...claim, ...withoutUndefined({ limit, cursor }) })
    if (options.json) return printJson(page)
    if (page.sessions.length === 0) {
      const start = commandLine('run', '--agent', 'nori', '--', 'claude', '-p', 'fix the login redirect')
      const none = `No sessions of ${whose(claim)} yet. Start one:\n  ${start}`
      return noteEmpty((await explainUnknownNames(engine, options)) ?? none)
    }
    await write(formatTable(page.sessions, columnsOf(page.sessions)))
    if (page.nextCursor !== null) note(`More: --cursor ${page.nextCursor}`)
  })
}

async function show(given: string, options: Options): Promise<void> {
  await withEngine(options, 'read', async (engine, config) => {
    const claim = readOnlooker(options, config)
    const id = await resolveSession(engine, claim, given)
    const session = (await engine.session(id, claim))!
    const { injections } = await engine.injections({ ...claim, session: id, limit: LIMITS.pageLimit })
    // Only the first showing of each counts; later ones repeat it.
    const formats = new Map(injections.toReversed().map(({ memory, format }) => [memory, format]))
    const shown = await memoriesOf(engine, claim, [...new Set(injections.map(({ memory }) => memory))])
    const left = await engine.list({ ...claim, session: id, includeInactive: true, limit: LIMITS.listLimit })
    if (options.json) return printJson({ session, shown: injections, left: left.memories })
    await printLine(format(session))
    const when: Column<Memory> = {
      title: 'SHOWN',
      value: ({ id }) => describeShowing(formats.get(id)!),
      style: () => 'dim',
      least: 16,
    }
    for (const [title, count, memories, columns] of [
      ['Shown', shown.length, shown, [when]],
      ['Left', left.totalCount, left.memories, []],
    ] as const) {
      await printLine(`\n${paint('bold', `${title}: ${countOf(count, 'memory', 'memories')}`)}`)
      if (memories.length === 0) continue
      const states = await readStates(engine, claim, memories)
      await write(formatTable(memories, memoryColumns(memories, states).toSpliced(-1, 0, ...columns)))
    }
  })
}

async function memoriesOf(engine: Nokosu, claim: Parameters<Nokosu['get']>[1], ids: readonly string[]) {
  const found = await Promise.all(ids.map((id) => engine.get(id, claim)))
  return found.filter((memory) => memory !== null)
}

function format({ id, agent, project, role, tier, startedAt, endedAt, exitCode, outcome }: Session): string {
  return formatFields([
    ['session', id],
    ['agent', role === null ? agent : `${agent ?? '-'} (${role})`],
    ['project', project],
    ['tier', tier === null ? null : String(tier)],
    ['started', startedAt],
    ['ended', endedAt ?? 'still open'],
    ['exit code', exitCode === null ? null : String(exitCode)],
    ['outcome', outcome],
  ])
}
