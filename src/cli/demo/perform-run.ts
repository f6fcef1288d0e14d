import { join } from 'node:path'
import { runAgent } from '../../agents/run/run-agent.ts'
import { openMemory } from '../../engine/open-memory.ts'
import { MemoryError } from '../../model/errors.ts'
import type { Memory } from '../../model/memory.ts'
import { findPackageRoot } from '../../package/package-root.ts'
import { StoreClient } from '../../remote/client.ts'
import type { OutcomeSummary } from '../../remote/protocol.ts'
import { AgentView, type Watcher } from './agent-view.ts'
import type { Stage } from './stage.ts'

const PROJECT = 'home'

export interface Deed {
  kind: OutcomeSummary['kind']
  reason: string
  category: string
  service: string | null
  /** The stored text: a reinforced memory keeps its own words. */
  content: string
  confidence: number
  /** Before the run; null for a new memory. */
  before: number | null
  weakened: { content: string; before: number; confidence: number }[]
}

export interface RunFacts {
  run: number
  shown: number
  steps: number
  failed: number
  deeds: Deed[]
  /** Markers that a tool printed and that are in no memory. */
  ignored: string[]
  redacted: number
  next: string
}

/** Milliseconds. By default a run gives up on its store after 2 s; on a slow machine the demo would then show less. */
const PATIENCE_MS = 60_000

/** One run of the scripted agent, with the same code as `nokosu run --project home --tier 1`. */
export async function performRun(
  stage: Stage,
  run: number,
  { pauseMs, ...watcher }: Watcher & { pauseMs: number },
): Promise<RunFacts> {
  const before = run === 1 ? [] : (await lookAt(stage)).memories
  const view = new AgentView(watcher)
  const program = join(findPackageRoot()!, 'bin', 'nokosu.mjs')
  const warnings: string[] = []
  const store = new StoreClient({
    program: process.execPath,
    args: [program, 'store-server', '--db', stage.store, '--config', stage.config],
    cwd: stage.folder,
    env: stage.env,
  })
  const report = await runAgent({
    command: [
      process.execPath,
      program,
      'demo-agent',
      String(run),
      '--memory',
      'NOKOSU_CONTEXT',
      '--pause',
      String(pauseMs),
    ],
    identifiers: { projectId: PROJECT },
    tier: 1,
    session: `run-${run}`,
    workspace: stage.folder,
    extraction: null,
    remember: true,
    store,
    spoolFolders: [stage.spool],
    boundMs: PATIENCE_MS,
    capture: {},
    interactive: false,
    output: view,
    env: stage.env,
    trace: () => {},
    warn: (text) => warnings.push(text),
  }).finally(() => store.close(PATIENCE_MS))
  const { outcomes, redacted, shown, exitCode, spooled, lost } = report
  if (exitCode !== 0 || spooled + lost > 0) {
    throw new MemoryError('PROVIDER_ERROR', `Run ${run} of the demo failed: ${warnings.join(' ')}`, {
      retryable: false,
    })
  }
  const { memories: after, next } = await lookAt(stage)
  return {
    run,
    shown,
    steps: view.steps.length,
    failed: view.steps.filter(({ ok }) => !ok).length,
    deeds: outcomes.map((outcome) => toDeed(outcome, before, after)),
    ignored: view.planted.filter((text) => !after.some(({ content }) => content.includes(text))),
    redacted,
    next,
  }
}

async function lookAt({ store }: Stage): Promise<{ memories: Memory[]; next: string }> {
  const engine = await openMemory({ storage: store })
  try {
    const identifiers = { projectId: PROJECT }
    const { memories } = await engine.list({ identifiers, includeInactive: true, limit: 100 })
    return { memories, next: (await engine.context({ identifiers, format: 'operational' })).text }
  } finally {
    await engine.shutdown()
  }
}

function toDeed(told: OutcomeSummary, before: readonly Memory[], after: readonly Memory[]): Deed {
  const { kind, reason, category, service } = told
  const memory = after.find(({ id }) => id === told.memory)
  const known = before.find(({ id }) => id === told.memory)
  const weakened = kind === 'contradict' ? weakenings(told, before, after) : []
  return {
    kind,
    reason,
    category,
    service,
    content: memory?.content ?? told.content,
    confidence: memory?.confidence ?? 0,
    before: known?.confidence ?? null,
    weakened,
  }
}

/** Only memories of the same category and service: a contradiction weakens no others. */
function weakenings({ category, service }: OutcomeSummary, before: readonly Memory[], after: readonly Memory[]) {
  return after.flatMap(({ id, content, confidence, ...memory }) => {
    const old = before.find((each) => each.id === id)
    const fell = old !== undefined && confidence < old.confidence
    const same = memory.category === category && memory.service === service
    return fell && same ? [{ content, before: old.confidence, confidence }] : []
  })
}
