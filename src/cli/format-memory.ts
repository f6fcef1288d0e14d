import { shortName } from '../config/repository-name.ts'
import type { Nokosu } from '../engine/nokosu.ts'
import type { MemoryState } from '../engine/standings.ts'
import type { MemoryUsefulness } from '../engine/usefulness.ts'
import { escapeTerminal } from '../guard/escape.ts'
import { explainFlags } from '../guard/explain-flags.ts'
import { isRetracted, withoutBelief } from '../lifecycle/decisions.ts'
import type { Decisions } from '../model/decision.ts'
import { REQUIRED_IDENTIFIER } from '../model/layer.ts'
import { type Memory, type Trust, whyPutUp } from '../model/memory.ts'
import type { Claim } from '../model/schema.ts'
import { tellDecision, tellStanding } from '../model/tell-decision.ts'
import { describeUsefulness } from './format-usefulness.ts'
import { countOf, fitTo, paint } from './output.ts'
import { shell } from './shell.ts'
import { shortIds } from './short-id.ts'
import type { Column } from './table.ts'

type States = ReadonlyMap<string, MemoryState>

/** The state of each memory: one may be active and yet hidden by its correction. */
export async function readStates(engine: Nokosu, claim: Claim, memories: readonly Memory[]): Promise<States> {
  if (memories.length === 0) return new Map()
  const { standings } = await engine.standings({ ...claim, ids: memories.map(({ id }) => id) })
  return new Map(standings.map(({ memory, state }) => [memory.id, state]))
}

/** Shortened on a terminal; whole in a pipe. `long`: always whole. */
export function memoryColumns(
  memories: readonly Memory[],
  states: States,
  { long = false } = {},
): readonly Column<Memory>[] {
  const whole = long || !shell().stdout.isTTY
  const ids = shortIds(memories.map(({ id }) => id))
  const spare = (number: number) => (long ? {} : { spare: number })
  const used = { title: 'USED', value: ({ useCount }: Memory) => `${useCount}`, align: 'right', ...spare(5) } as const
  return [
    { title: 'ID', value: ({ id }) => (whole ? id : ids.get(id)!), style: () => 'dim' },
    { title: 'WHERE', value: (memory) => place(memory, shortName), style: () => 'cyan', least: 14, ...spare(2) },
    { title: 'CATEGORY', value: (memory) => memory.category, ...spare(1) },
    { title: 'SERVICE', value: (memory) => memory.service ?? 'general', least: 8, ...spare(3) },
    { title: 'CONF', value: (memory) => memory.confidence.toFixed(2), align: 'right', ...spare(4) },
    ...(memories.some(({ useCount }) => useCount > 0) ? [used] : []),
    {
      title: 'CONTENT',
      value: (memory) => describe(memory, states.get(memory.id)),
      style: ({ id, active }) => (active && states.get(id) !== 'corrected' ? null : 'dim'),
    },
  ]
}

/** `project shop`, or `agent miso in shop` for an agent's own memory of one project. */
export function place({ layer, identifiers }: Memory, nameProject = (project: string) => project): string {
  const id = identifiers[REQUIRED_IDENTIFIER[layer]] ?? '?'
  const owner = `${layer} ${layer === 'project' ? nameProject(id) : id}`
  const within = layer === 'agent' || layer === 'task' || layer === 'section' ? identifiers.projectId : undefined
  return within === undefined ? owner : `${owner} in ${nameProject(within)}`
}

function describe({ content }: Memory, state: MemoryState = 'active'): string {
  return state === 'active' ? content : `(${state === 'held' ? 'held for review' : state}) ${content}`
}

export function stateOf(memory: Memory): string | null {
  const { trust, active } = memory
  if (isRetracted(memory)) return 'retracted'
  if (trust === 'quarantined') return 'held for review'
  if (!active) return 'inactive'
  return trust === 'flagged' ? 'unverified' : null
}

export function whyMarked(memory: Memory): string[] {
  const { trust, metadata } = memory
  if ((trust !== 'flagged' && trust !== 'quarantined') || !Array.isArray(metadata.flags)) return whyPutUp(memory)
  return explainFlags(metadata.flags.map(String))
}

const TRUST: Record<Trust, string> = {
  operator: 'an operator wrote or accepted it',
  agent: 'one agent said it',
  corroborated: 'more than one agent said it',
  flagged: 'shown to agents as unverified',
  quarantined: 'held for review, shown to no agent',
}

function describeTrust(memory: Memory): string {
  const why = whyMarked(memory)
  return `${memory.trust}: ${TRUST[memory.trust]}${why.length === 0 ? '' : `; it ${why.join('; it ')}`}`
}

/** The author: `agent nori, session monday (extraction, tier 1)`. */
export function origin({ identifiers, session, source, tier, metadata }: Memory): string {
  const who = [
    ...(typeof metadata.author === 'string' ? [`subagent ${metadata.author}`] : []),
    ...(identifiers.agentId === undefined ? [] : [`agent ${identifiers.agentId}`]),
    ...(identifiers.userId === undefined ? [] : [`user ${identifiers.userId}`]),
    ...(session === null ? [] : [`session ${session}`]),
  ]
  const how = tier === 0 ? source : `${source}, tier ${tier}`
  return who.length === 0 ? how : `${who.join(', ')} (${how})`
}

export function formatFields(fields: readonly (readonly [name: string, value: string | null])[]): string {
  const { stdout } = shell()
  return fields
    .flatMap(([name, value]) =>
      value ? `${paint('dim', name.padEnd(10))}  ${fitTo(stdout, value, ' '.repeat(12))}` : [],
    )
    .join('\n')
}

const NONE: Decisions = { decisions: [], hiddenBy: null, disputed: null }

export function formatMemory(memory: Memory, decided: Decisions = NONE, usefulness?: MemoryUsefulness): string {
  const metadata = withoutBelief(memory.metadata)
  const fields = formatFields([
    ['id', memory.id],
    ['where', place(memory)],
    ['category', memory.category],
    ['service', memory.service ?? 'general'],
    ['tags', memory.tags.join(', ')],
    ['confidence', `${memory.confidence.toFixed(2)}${memory.active ? '' : ', inactive'}`],
    ['importance', String(memory.importance)],
    ['source', origin(memory)],
    ['trust', describeTrust(memory)],
    ['anchor', memory.anchor],
    ['metadata', Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)],
    [
      'recalled',
      memory.lastRecalledAt && `${countOf(memory.recallCount, 'time', 'times')}, last ${memory.lastRecalledAt}`,
    ],
    ['pinned', memory.pinned ? 'shown first, does not fade' : null],
    ['used', memory.lastUsedAt && `${countOf(memory.useCount, 'time', 'times')}, last ${memory.lastUsedAt}`],
    ['runs', usefulness === undefined ? null : describeUsefulness(usefulness)],
    ['links', memory.links.map(({ relation, memory: id }) => `${relation} ${id}`).join(', ')],
    ['shown', tellStanding(decided, escapeTerminal)],
    ['decided', decided.decisions.map((each) => tellDecision(each, escapeTerminal)).join(`\n${' '.repeat(12)}`)],
    ['thread', memory.thread && `${memory.thread.id}:${memory.thread.index}`],
    ['happened', memory.occurredAt],
    ['created', memory.createdAt],
    ['updated', `${memory.updatedAt} (version ${memory.version})`],
    ['expires', memory.expiresAt],
  ])
  const content = fitTo(shell().stdout, memory.content).split('\n')
  return [...content.map((line) => paint('bold', line)), '', fields].join('\n')
}
