import type { Command } from 'commander'
import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { EVERY_AGENT } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import type { Memory } from '../../model/memory.ts'
import type { MemoryList } from '../../model/provider.ts'
import type { Claim, ListRequest } from '../../model/schema.ts'
import { isPartOf } from '../../text/id-part.ts'
import { commandLine } from '../command-line.ts'
import { agree } from '../confirm.ts'
import { claimFlags } from '../explain-empty.ts'
import { origin, place, whyMarked } from '../format-memory.ts'
import { addClaimOptions, type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, noteEmpty, paint, printJson, printLine } from '../output.ts'
import { wholeIn } from '../parse-flags.ts'
import { resolveMemory } from '../resolve-id.ts'
import { shell } from '../shell.ts'
import { shorten } from '../short-id.ts'

interface ListOptions extends GlobalOptions, ClaimOptions {
  limit?: number
  cursor?: string
}

interface DecideOptions extends GlobalOptions, ClaimOptions {
  yes?: boolean
}

type Decision = Parameters<Nokosu['review']>[1]

/** `nokosu review` */
export function configure(command: Command): void {
  addClaimOptions(command)
    .option('--limit <number>', 'at most this many, up to 100 (default: 50)', wholeIn('--limit', 1, LIMITS.listLimit))
    .option('--cursor <cursor>', 'continue where a list stopped')
    .addHelpText(
      'after',
      `
Lists memories that are held for review. They read as an order to the reader, a claimed approval, a request to weaken a check, or
something to fetch and run. They are kept, but no agent is shown them and no search finds them. Accept what is an honest note, and
agents are shown it as your own word. Reject the rest, and it is deleted.

Examples:
  nokosu review --all
  nokosu review accept 9XTQYDJ2
  nokosu review --all --json | jq -r '.memories[].id' | xargs nokosu review reject --all --yes`,
    )
    .action(list)
  decision(command, 'accept', 'show it to agents from now on, as your own word')
  decision(command, 'reject', 'delete it')
}

/** The identifiers are options of `review` itself, and may stand behind `accept` and `reject` too. */
function decision(command: Command, name: Decision, description: string): void {
  command
    .command(name)
    .description(description)
    .argument('<id...>', 'the ids of memories that are held for review, or 6 characters or more of each')
    .option('-y, --yes', 'do not ask')
    .action((ids: string[], _: unknown, own: Command) => decide(name, ids, own.optsWithGlobals<DecideOptions>()))
}

/** What is held is shown however old it is. */
const HELD = { trust: ['quarantined'], includeInactive: true } satisfies ListRequest

/**
 * Held memories of a project that belong to its sessions and users. Who names the project means them too: nothing held is to go
 * unseen because nobody knows the session that said it.
 */
async function heldElsewhere(engine: Nokosu, { identifiers }: Claim): Promise<Memory[]> {
  const project = identifiers?.agentId === EVERY_AGENT ? identifiers.projectId : undefined
  const found: Memory[] = []
  for (let cursor: string | null = null; project !== undefined; ) {
    const page: MemoryList = await engine.list({
      everything: true,
      ...HELD,
      layers: ['session', 'user'],
      limit: LIMITS.listLimit,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.memories.filter((memory) => memory.identifiers.projectId === project))
    cursor = page.nextCursor
    if (cursor === null) break
  }
  return found
}

/** An agent is to see nothing of what is held back, and could have been told to accept what it said itself. */
function refuseInRun(): void {
  if (!shell().env.NOKOSU_SESSION) return
  throw new MemoryError('UNAUTHORIZED', 'An agent sees and decides nothing of what is held for review.', {
    details: { hint: 'This is inside a run (NOKOSU_SESSION is set). Use your own terminal.' },
  })
}

async function list(_: unknown, command: Command): Promise<void> {
  refuseInRun()
  const options = command.optsWithGlobals<ListOptions>()
  const { limit, cursor } = options
  const page = await withEngine(options, 'read', async (engine, config) => {
    const claim = readOnlooker(options, config)
    const others = await heldElsewhere(engine, claim)
    const paging = { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) }
    const found = await engine.list({ ...claim, ...HELD, ...paging })
    const memories = [...found.memories, ...(found.nextCursor === null ? others : [])]
    return { ...found, memories, totalCount: found.totalCount + others.length }
  })
  if (options.json) {
    return printJson({ ...page, memories: page.memories.map((memory) => ({ ...memory, why: whyMarked(memory) })) })
  }
  if (page.memories.length === 0) return noteEmpty('Nothing is held for review.')
  await printLine(page.memories.map(format).join('\n\n'))
  const { memories, totalCount, nextCursor } = page
  const shown = nextCursor === null ? '' : ` Shown are ${memories.length}; more: --cursor ${nextCursor}.`
  note(`\n${countOf(totalCount, 'memory', 'memories')} held for review.${shown}`)
  const flags = claimFlags(options)
  const { id } = memories[0]!
  note(`Decide: ${commandLine('review', 'accept', ...flags, shorten(id))}`)
  note(`or:     ${commandLine('review', 'reject', ...flags, shorten(id))}`)
}

function format(memory: Memory): string {
  const { id, category, service, content, createdAt } = memory
  const about = service === null ? category : `${category}:${service}`
  const why = whyMarked(memory)
  return [
    `${paint('bold', id)}  ${paint('cyan', place(memory))}  ${about}`,
    `  ${content.replaceAll('\n', '\n  ')}`,
    `  ${paint('dim', 'why')}      ${paint('yellow', why.length === 0 ? 'it is not known any more' : `it ${why.join('; it ')}`)}`,
    `  ${paint('dim', 'said by')}  ${origin(memory)}, ${createdAt}`,
  ].join('\n')
}

interface Decided {
  decision: Decision
  decided: string[]
  failed: { id: string; code: string; message: string }[]
}

async function decide(name: Decision, ids: string[], options: DecideOptions): Promise<void> {
  refuseInRun()
  const question = name === 'accept' ? `Show ${ids.length} memories to agents?` : `Delete ${ids.length} memories?`
  if (ids.length > 1 && !(await agree(question, options))) return note('Nothing was decided.')
  const result = await withEngine(options, 'change', async (engine, config) => {
    const claim = readOnlooker(options, config)
    const others = await heldElsewhere(engine, claim)
    const done: Decided = { decision: name, decided: [], failed: [] }
    for (const id of ids) {
      try {
        const other = others.filter((memory) => isPartOf(id, memory.id))
        const own = other.length === 1 ? ({ everything: true } as const) : claim
        const whole = await resolveMemory(engine, own, id)
        await engine.review(whole, name, own)
        done.decided.push(whole)
      } catch (error) {
        // The one that was asked for is the result; of several the others are decided all the same.
        if (ids.length === 1 || !MemoryError.is(error)) throw error
        done.failed.push({ id, code: error.code, message: error.message })
      }
    }
    return done
  })
  if (result.failed.length > 0) shell().exitCode = 1
  if (options.json) return printJson(result)
  const verb = name === 'accept' ? 'Accepted' : 'Rejected and deleted'
  await printLine(ids.length === 1 ? `${verb}.` : `${verb} ${result.decided.length} of ${ids.length}.`)
  for (const { id, message } of result.failed) note(`${id}: ${message}`)
}
