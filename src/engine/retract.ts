import { createHash } from 'node:crypto'
import { z } from 'zod'
import { bareDigestOf, isRetracted, RETRACTED } from '../lifecycle/decisions.ts'
import type { Retracted } from '../model/decision.ts'
import { idSchema, text } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import type { JsonObject, Memory } from '../model/memory.ts'
import { retractedKey } from '../model/once-keys.ts'
import { itemsOf } from '../model/page.ts'
import { parseInput } from '../model/parse.ts'
import type { Session } from '../model/records.ts'
import { claimFields } from '../model/schema.ts'
import type { Write } from '../storage/commit.ts'
import { Account, commitAccounts, openAccount, requireAccount } from './account.ts'
import { resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { putUp } from './links.ts'
import { requireReviewer } from './operator.ts'
import { changedRow, commitUnlessChanged } from './write.ts'

export const retractSchema = z.strictObject({
  id: idSchema,
  /** Why it was wrong, for agents that were shown it and for later readers. */
  why: text(LIMITS.outcome),
  ...claimFields,
})

/** The event that informs running sessions. */
export const RETRACTION = 'retraction'
/** Why memories that it weakened get their confidence back. */
const GIVEN_BACK = 'the memory that contradicted it was retracted'
/** How many of the runs that saw it, the latest, are checked for lessons. */
const MOST_RUNS = 200

/**
 * Withdraws what was never true: no agent sees it again, what it weakened is restored, what depends on it goes to review, and
 * running sessions that were shown it are told. It is kept for operators. Repeating an interrupted retraction completes it.
 */
export async function retract(core: Core, caller: Caller, input: z.input<typeof retractSchema>): Promise<Retracted> {
  const { id, why: given, ...claim } = parseInput(retractSchema, input, 'retract')
  const reader = resolveClaim(caller, claim)
  requireReviewer(core, caller, 'retracts memories')
  const { cleanText } = await import('../guard/clean-text.ts')
  const why = cleanText(given).text
  const { by } = caller
  const { result } = await commitAccounts(core, { by, key: undefined }, async (at) => {
    const account = await requireAccount(core, reader, id)
    const said = { at: at.toISOString(), by, why }
    const open = new Map([[id, account]])
    const twins = await twinsOf(core, account.memory, open)
    const withdrawn = [account, ...twins].filter(({ memory }) => !isRetracted(memory))
    const before = new Set(open.keys())
    for (const each of withdrawn) await withdraw(core, each, said, open)
    const restored = [...open].flatMap(([key, each]) => (before.has(key) ? [] : [each]))
    return { accounts: [...withdrawn, ...restored], result: { account, twins, withdrawn, restored } }
  })
  const { account, twins, withdrawn, restored } = result
  const memory = withdrawn.includes(account) ? account.changed : account.memory
  const runs = await runsThatSaw(core, id)
  const now = core.now()
  const resting = (await restingOn(core, account.memory, runs)).map((each) => putUpFor(each, id))
  const gone = twins.map(({ memory }) => memory)
  const writes: Write[] = [
    ...[account.memory, ...gone].map(
      ({ id: memory, content }): Write => ({ kind: 'mark', memory, once: [retractedKey(null, bareDigestOf(content))] }),
    ),
    ...(await Promise.all(gone.map(async (twin) => tell(twin.id, await runsThatSaw(core, twin.id), now)))).flat(),
    ...tell(id, runs, now),
    ...resting.map((changed): Write => ({ kind: 'update', row: changedRow(changed) })),
  ]
  await commitUnlessChanged(core, writes, by, now)
  return {
    memory,
    others: [...withdrawn.filter((each) => each !== account), ...restored].map(({ changed }) => changed),
    runs: runs.map(({ id: session, at, session: known }) => ({
      session,
      agent: known?.agent ?? null,
      at,
      running: isRunning({ session: known }),
    })),
    review: resting,
  }
}

/** The same text in other categories is withdrawn too. */
async function twinsOf(core: Core, memory: Memory, open: Map<string, Account>): Promise<Account[]> {
  const twins: Account[] = []
  for (const { relation, memory: other } of memory.links) {
    const twin = relation === 'confirms' || relation === 'confirmedBy' ? await openAccount(core, other) : null
    if (twin === null || bareDigestOf(twin.memory.content) !== bareDigestOf(memory.content)) continue
    open.set(other, twin)
    twins.push(twin)
  }
  return twins
}

/** Hides it from everyone and restores what it weakened. `open`: accounts already loaded; newly loaded ones are added. */
async function withdraw(
  core: Core,
  account: Account,
  said: { at: string; by: string; why: string },
  open: Map<string, Account>,
): Promise<void> {
  const { memory } = account
  for (const { relation, memory: other } of memory.links) {
    const lost = relation === 'contradicts' ? (open.get(other) ?? (await openAccount(core, other))) : null
    // Each agent that said it has weakened something.
    const taken = lost?.standing.filter(
      ({ kind, other: by }) => (kind === 'contradicted' || kind === 'corrected') && by === memory.id,
    )
    if (!lost || !taken?.length) continue
    for (const decision of taken.toReversed()) lost.undo(decision, GIVEN_BACK)
    open.set(other, lost)
  }
  const metadata = { ...memory.metadata, [RETRACTED]: { ...said, words: bareDigestOf(memory.content) } }
  account.memory = { ...memory, active: false, metadata }
  account.note({ kind: 'retracted', other: null, reason: said.why, from: memory.confidence, to: memory.confidence })
}

interface Run {
  id: string
  at: string
  session: Session | null
}

function isRunning({ session }: Pick<Run, 'session'>): boolean {
  return session !== null && session.endedAt === null
}

function tell(memory: string, runs: readonly Run[], now: Date): Write[] {
  return runs.filter(isRunning).map(({ session }) => tidings(memory, session!, now))
}

/** Each run once, the latest first. */
async function runsThatSaw({ storage, attempt }: Core, memory: string): Promise<Run[]> {
  const seen = new Map<string, string>()
  const query = { session: null, memory, limit: LIMITS.pageLimit }
  const shown = itemsOf((after) => attempt(() => storage.injections({ ...query, after })))
  for await (const { session, at } of shown) seen.set(session, at)
  const runs = [...seen].map(([id, at]): Run => ({ id, at, session: null })).reverse()
  for (let start = 0; start < runs.length; start += LIMITS.listLimit) {
    const part = runs.slice(start, start + LIMITS.listLimit)
    const any = part.map(({ id }) => ({ id }))
    const { items } = await attempt(() => storage.sessions({ any, after: null, limit: any.length }))
    const known = new Map(items.map((session) => [session.id, session]))
    for (const run of part) run.session = known.get(run.id) ?? null
  }
  return runs
}

/** Memories linked with it as agreeing, and lessons that runs drew after seeing it. */
async function restingOn(core: Core, retracted: Memory, runs: readonly Run[]): Promise<Memory[]> {
  const { storage, attempt } = core
  const linked = retracted.links.filter(({ relation }) => relation === 'confirms' || relation === 'confirmedBy')
  const found = linked.length === 0 ? [] : await attempt(() => storage.get(linked.map(({ memory }) => memory)))
  const resting = new Map(found.map(({ memory }) => [memory.id, memory]))
  const visibleAt = core.now().toISOString()
  for (const { id: session, at } of runs.slice(0, MOST_RUNS)) {
    const where = { session, source: 'observed' as const, visibleAt }
    const lessons = { scopes: null, where, order: 'newest' as const, after: null, count: false, vectors: false }
    const page = await attempt(() => storage.memories({ ...lessons, limit: LIMITS.listLimit }))
    for (const { memory } of page.items) if (memory.createdAt >= at) resting.set(memory.id, memory)
  }
  return [...resting.values()].filter((memory) => memory.active && memory.id !== retracted.id && !isPutUpFor(memory))
}

function isPutUpFor(memory: Memory): boolean {
  return putUp(memory) === memory.tags
}

function putUpFor(memory: Memory, retracted: string): Memory {
  const account = new Account({ ...memory, tags: putUp(memory) }, [])
  const { confidence } = memory
  const reason = 'it depends on a retracted memory'
  account.note({ kind: 'review', other: retracted, reason, from: confidence, to: confidence })
  return account.changed
}

/** Tells a session which memory is withdrawn, without its words. */
export function tidings(
  memory: string,
  { id: session, project, agent }: Pick<Session, 'id' | 'project' | 'agent'>,
  now: Date,
): Write {
  const id = createHash('sha256')
    .update(JSON.stringify([RETRACTION, session, memory]))
    .digest('hex')
    .slice(0, 32)
  const identifiers = {
    ...(project === null ? {} : { projectId: project }),
    ...(agent === null ? {} : { agentId: agent }),
  }
  return {
    kind: 'event',
    event: { id, type: RETRACTION, at: now.toISOString(), session, identifiers, data: { memory } },
  }
}

/** Undoes a retraction: the same text in other categories returns too, and what they had weakened is weakened again. Returns the other changed memories. */
export async function undoRetraction(
  core: Core,
  account: Account,
  reason: string,
  seen = new Set<string>(),
): Promise<Account[]> {
  const { id, links, metadata } = account.memory
  seen.add(id)
  const retracted = account.standing.findLast(({ kind }) => kind === 'retracted')
  if (retracted !== undefined) account.undo(retracted, reason)
  const others: Account[] = []
  for (const { relation, memory } of links) {
    const other = seen.has(memory) ? null : await openAccount(core, memory)
    const given = relation === 'contradicts' ? (other?.restored(id, GIVEN_BACK) ?? []) : []
    if (given.length > 0) {
      seen.add(memory)
      for (const decision of given) other!.undo(decision, reason)
      others.push(other!)
    } else if (other !== null && isRetracted(other.memory) && saidAt(other.memory.metadata) === saidAt(metadata)) {
      others.push(other, ...(await undoRetraction(core, other, reason, seen)))
    }
  }
  return others
}

function saidAt(metadata: JsonObject): string | undefined {
  return (metadata[RETRACTED] as { at?: string } | undefined)?.at
}
