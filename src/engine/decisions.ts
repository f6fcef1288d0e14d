import { z } from 'zod'
import { decayed } from '../lifecycle/decay.ts'
import { allDecisions, type Decision, standingDecisions } from '../lifecycle/decisions.ts'
import type { Decided, Decisions } from '../model/decision.ts'
import { idSchema } from '../model/fields.ts'
import type { Identifiers } from '../model/layer.ts'
import { isVisible, type Memory } from '../model/memory.ts'
import { parseInput } from '../model/parse.ts'
import type { Change } from '../model/records.ts'
import { claimFields } from '../model/schema.ts'
import { canRead, readerOf, resolveClaim } from './claim.ts'
import type { Caller, Core } from './core.ts'
import { readCorrected } from './corrected.ts'
import { historyOf } from './restore.ts'
import { notFound } from './write.ts'

export const decisionsInputSchema = z.strictObject({ id: idSchema, ...claimFields })

/** All decisions about a memory, with reasons, and its current state. */
export async function readDecisions(
  core: Core,
  caller: Caller,
  input: z.input<typeof decisionsInputSchema>,
): Promise<Decisions> {
  const { id, ...claim } = parseInput(decisionsInputSchema, input, 'decisions')
  const reader = resolveClaim(caller, claim)
  const changes = await historyOf(core, id)
  const current = (await core.attempt(() => core.storage.get([id])))[0]?.memory
  const memory = current ?? changes.findLast(({ after }) => after !== null)?.after
  if (!memory || !(await canRead(core, reader, memory))) throw notFound(id)
  const decisions = await describe(core, reader, memory, changes, allDecisions(changes))
  const now = core.now()
  const seen =
    current === undefined ? [] : [decayed(current, now, core.settings.decay)].filter((each) => isVisible(each, now))
  const { corrected, disputed } = await readCorrected(core, reader, now, seen)
  const by = corrected.get(id)
  const winner = by === undefined ? undefined : (await core.attempt(() => core.storage.get([by])))[0]?.memory
  return {
    decisions,
    hiddenBy: winner === undefined ? null : { id: winner.id, content: winner.content },
    disputed: disputed.get(id) ?? null,
  }
}

type Versioned = Decision & { version: number }

export async function describeDecisions(
  core: Core,
  reader: Identifiers | null,
  memory: Memory,
  decisions: readonly Versioned[],
): Promise<Decided[]> {
  return describe(core, reader, memory, await historyOf(core, memory.id), decisions)
}

/** With both texts, as far as the reader may read them. */
async function describe(
  core: Core,
  reader: Identifiers | null,
  memory: Memory,
  changes: readonly Change[],
  decisions: readonly Versioned[],
): Promise<Decided[]> {
  const ids = [...new Set(decisions.flatMap(({ other }) => other ?? []))]
  const mayRead = await readerOf(core, reader)
  const found = ids.length === 0 ? [] : await core.attempt(() => core.storage.get(ids))
  const words = new Map(
    found.filter((each) => mayRead(each.memory)).map(({ memory: { id, content } }) => [id, content]),
  )
  const standing = new Set(standingDecisions(changes).map(({ version, other }) => `${version} ${other}`))
  const byVersion = new Map(changes.map((change) => [change.version, change]))
  return decisions.map(({ kind, other, said, reason, score, from, to, version }) => {
    const change = byVersion.get(version)
    const compared = { id: other, content: other === null ? said : (words.get(other) ?? null) }
    return {
      ...{ kind, version, reason, score, from, to },
      at: change?.at ?? memory.updatedAt,
      by: change?.by ?? '',
      content: change?.after?.content ?? memory.content,
      other: other === null && said === null ? null : compared,
      undone: kind !== 'undone' && !standing.has(`${version} ${other}`),
    }
  })
}
