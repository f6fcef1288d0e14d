import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { EVERY_AGENT, type Layer } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { type Memory, REVIEW_TAG } from '../../model/memory.ts'
import { everyPage } from '../../model/page.ts'
import type { Claim, ListRequest } from '../../model/schema.ts'
import { isPartOf } from '../../text/id-part.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { type CommandModule, defineCommand } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { agree } from '../confirm.ts'
import { doEach } from '../each.ts'
import { claimFlags } from '../explain-empty.ts'
import { origin, place, stateOf, whyMarked } from '../format-memory.ts'
import { aboutOf } from '../format-outcome.ts'
import { readOnlooker } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, noteEmpty, paint, printJson, printLine } from '../output.ts'
import { whole } from '../parse-flags.ts'
import { resolveMemory } from '../resolve-id.ts'
import { shell } from '../shell.ts'
import { shorten } from '../short-id.ts'

export const { configure } = defineCommand({
  identifiers: 'claim',
  options: {
    '-n, --limit <number>': ['at most this many, up to 100 (default: 50)', whole(1, LIMITS.listLimit)],
    '--cursor <cursor>': 'continue from an earlier list',
  },
  help: `
Lists memories that are held for review. They read like an order to the reader, a claimed approval, a request to weaken a check, or
something to fetch and run. They are stored, but no agent is shown them and no search finds them. Accept honest notes: agents are then
shown them as your own. Reject the rest: they are deleted.

The list also has memories that are shown as unverified, that contradict an operator's memory, or that depend on a retracted one.

Examples:
  nokosu review --all
  nokosu review accept 9XTQYDJ2
  nokosu review --all --json | jq -r '.memories[].id' | xargs nokosu review reject --all --yes`,
  commands: {
    accept: ['show it to agents from now on, as your own', decision('accept')],
    reject: ['delete it', decision('reject')],
  },
  async run(options) {
    refuseInRun()
    const { limit, cursor } = options
    const page = await withEngine(options, 'read', async (engine, config) => {
      const claim = readOnlooker(options, config)
      const others = [...(await heldElsewhere(engine, claim)), ...(await putUp(engine, claim))]
      const found = await engine.list({ ...claim, ...HELD, ...withoutUndefined({ limit, cursor }) })
      const memories = [...found.memories, ...(found.nextCursor === null ? others : [])]
      return { ...found, memories, totalCount: found.totalCount + others.length }
    })
    const { memories, totalCount, nextCursor } = page
    if (options.json) {
      return printJson({ ...page, memories: memories.map((memory) => ({ ...memory, why: whyMarked(memory) })) })
    }
    if (memories.length === 0) return noteEmpty('Nothing to review.')
    await printLine(memories.map(format).join('\n\n'))
    const shown = nextCursor === null ? '' : ` Showing ${memories.length}. More: --cursor ${nextCursor}.`
    note(`\n${countOf(totalCount, 'memory', 'memories')} to review.${shown}`)
    const example = [...claimFlags(options), shorten(memories[0]!.id)]
    note(`Decide: ${commandLine('review', 'accept', ...example)}`)
    note(`or:     ${commandLine('review', 'reject', ...example)}`)
  },
})

/** Held memories are shown however old they are. */
const HELD = { trust: ['quarantined'], includeInactive: true } satisfies ListRequest

/** Rows of other programs appear here until they are judged; the verdict then counts. */
const MARKED = { trust: ['flagged'], includeInactive: true, limit: LIMITS.listLimit } satisfies ListRequest

/**
 * Includes held memories of the project's sessions and users: naming the project is enough, because a held memory must not go
 * unseen when nobody knows its session.
 */
async function heldElsewhere(engine: Nokosu, { identifiers }: Claim): Promise<Memory[]> {
  const project = identifiers?.agentId === EVERY_AGENT ? identifiers.projectId : undefined
  if (project === undefined) return []
  const layers: Layer[] = ['session', 'user']
  const request = { everything: true as const, ...HELD, layers, limit: LIMITS.listLimit }
  const pages = await Array.fromAsync(everyPage((position) => engine.list({ ...request, ...position })))
  return pages.flatMap(({ memories }) => memories.filter(({ identifiers: own }) => own.projectId === project))
}

async function putUp(engine: Nokosu, claim: Claim): Promise<Memory[]> {
  const request = { ...claim, tags: [REVIEW_TAG], includeInactive: true, limit: LIMITS.listLimit }
  const [tagged, marked] = [await engine.list(request), await engine.list({ ...claim, ...MARKED })]
  const open = tagged.memories.filter(({ trust }) => trust !== 'quarantined')
  const all = [...open, ...marked.memories.filter(isMarked)]
  return [...new Map(all.map((memory) => [memory.id, memory])).values()]
}

function isMarked({ trust, active }: Memory): boolean {
  return trust === 'quarantined' || (trust === 'flagged' && active)
}

/** An agent must not see what is held, and could have been told to accept its own words. */
function refuseInRun(): void {
  if (!shell().env.NOKOSU_SESSION) return
  throw new MemoryError('UNAUTHORIZED', 'An agent cannot see or decide what is held for review.', {
    details: { hint: 'This is inside a run (NOKOSU_SESSION is set). Use your own terminal.' },
  })
}

function format(memory: Memory): string {
  const { id, content, createdAt } = memory
  const why = whyMarked(memory)
  return [
    `${paint('bold', id)}  ${paint('cyan', place(memory))}  ${aboutOf(memory)}  ${paint('yellow', stateOf(memory) ?? 'shown')}`,
    `  ${content.replaceAll('\n', '\n  ')}`,
    `  ${paint('dim', 'why')}      ${paint('yellow', why.length === 0 ? 'the reason is no longer known' : `it ${why.join('; it ')}`)}`,
    `  ${paint('dim', 'source')}   ${origin(memory)}, ${createdAt}`,
  ].join('\n')
}

/** The identifiers are options of `review`, and may also follow `accept` and `reject`. */
function decision(name: 'accept' | 'reject'): CommandModule {
  return defineCommand({
    arguments: [['<id...>', 'the ids of memories that are held for review, or 6 characters or more of each']],
    options: { '-y, --yes': 'do not ask' },
    async run(options, ids) {
      refuseInRun()
      const question = name === 'accept' ? `Show ${ids.length} memories to agents?` : `Delete ${ids.length} memories?`
      if (ids.length > 1 && !(await agree(question, options))) return note('Nothing was decided.')
      const { done: decided, failed } = await withEngine(options, 'change', async (engine, config) => {
        const claim = readOnlooker(options, config)
        const others = await heldElsewhere(engine, claim)
        return doEach(ids, async (id) => {
          const other = others.filter((memory) => isPartOf(id, memory.id))
          const own = other.length === 1 ? ({ everything: true } as const) : claim
          const whole = await resolveMemory(engine, own, id)
          await engine.review(whole, name, own)
          return whole
        })
      })
      if (failed.length > 0) shell().exitCode = 1
      if (options.json) return printJson({ decision: name, decided, failed })
      const verb = name === 'accept' ? 'Accepted' : 'Rejected and deleted'
      await printLine(ids.length === 1 ? `${verb}.` : `${verb} ${decided.length} of ${ids.length}.`)
      for (const { id, message } of failed) note(`${id}: ${message}`)
    },
  })
}
