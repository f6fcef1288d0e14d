import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Nokosu } from '../../src/engine/nokosu.ts'
import { openFleet } from '../stress/fleet-store.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { sequence } from '../stress/sentences.ts'
import type { Progress, Scenario } from './scenario.ts'
import type { TortureStore } from './stores.ts'

interface Line {
  state: 'ready' | 'begin' | 'done' | 'failed'
  op?: string
  id?: string
  content?: string
  mark?: string
  decision?: 'accept' | 'reject'
  agent?: string
  persona?: string
  message?: string
}

/** Kills two writers in the middle of their work, then compares the store with what they reported. */
export const kills: Scenario = async ({ create, seed, size, models, progress }) => {
  const random = sequence(seed)
  const store = await create()
  try {
    for (let round = 0; round < size; round++) {
      const lines = await Promise.all(
        [0, 1].map((i) => writeAndDie(store, `w${round}x${i}`, seed + 2 * round + i, models, random)),
      )
      for (const said of lines)
        for (const { state, op, message } of said) if (state === 'failed') progress.fail(`${op}: ${message}`)
      await compare(store, lines, progress)
      progress.did(2)
    }
  } finally {
    await store.destroy()
  }
}

/** Many writers run to the end at once: no acknowledged write is lost, and none fails. */
export const crowds: Scenario = async ({ create, seed, size, models, progress }) => {
  const store = await create()
  try {
    const writers = Array.from({ length: 6 }, (_, i) => writeToEnd(store, `c${i}`, seed + i, models, size))
    const lines = await Promise.all(writers)
    for (const said of lines) {
      for (const { state, op, message } of said) if (state === 'failed') progress.fail(`${op}: ${message}`)
      progress.did(said.filter(({ state }) => state === 'done').length)
    }
    await compare(store, lines, progress)
  } finally {
    await store.destroy()
  }
}

function start(store: TortureStore, name: string, seed: number, models: boolean, most?: number) {
  const script = new URL('worker.ts', import.meta.url).pathname
  const args = [
    script,
    store.url,
    name,
    String(seed),
    models ? 'models' : 'none',
    ...(most === undefined ? [] : [String(most)]),
  ]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...store.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: Line[] = []
  const reader = createInterface({ input: child.stdout })
  // The last line of a killed writer may be incomplete.
  reader.on('line', (line) => line.endsWith('}') && lines.push(JSON.parse(line) as Line))
  const closed = once(reader, 'close')
  return { child, lines, ended: once(child, 'exit').then(() => closed) }
}

async function writeAndDie(store: TortureStore, name: string, seed: number, models: boolean, random: () => number) {
  const { child, lines, ended } = start(store, name, seed, models)
  const enough = 3 + random() * 25
  while (lines.length < enough && child.exitCode === null) await sleep(3)
  await sleep(random() * 20)
  child.kill('SIGKILL')
  await ended
  return lines
}

async function writeToEnd(store: TortureStore, name: string, seed: number, models: boolean, most: number) {
  const { lines, ended } = start(store, name, seed, models, most)
  await ended
  return lines
}

/** Compares the writers' reports with the store. */
async function compare(store: TortureStore, said: readonly Line[][], progress: Progress): Promise<void> {
  const token = store.env.NOKOSU_TOKEN
  const memory = await openFleet(store.url, token === undefined ? {} : { token })
  try {
    for (const lines of said) await compareOne(memory, lines, progress)
    await memory.reembed()
    const health = await memory.healthCheck()
    if (health.status !== 'healthy') progress.fail(`the store is ${health.status}: ${health.problems.join(', ')}`)
  } finally {
    await memory.shutdown()
  }
  if (store.file !== null) for (const problem of findBrokenInvariants(store.file)) progress.fail(problem)
}

const ALL = { everything: true } as const

async function compareOne(memory: Nokosu, lines: readonly Line[], progress: Progress): Promise<void> {
  const states = new Map<string, { isThere: boolean | null; contents: Set<string> }>()
  for (const { state, op, id, content } of lines) {
    if (id === undefined || op === 'review') continue
    const known = states.get(id) ?? { isThere: true, contents: new Set<string>() }
    states.set(id, known)
    // The last started operation may or may not be done.
    if (op === 'update') known.contents = state === 'done' ? new Set([content!]) : known.contents.add(content!)
    else if (op === 'add') known.contents.add(content!)
    else known.isThere = state === 'begin' ? null : op === 'restore'
  }
  for (const [id, { isThere, contents }] of states) {
    const found = await memory.get(id, ALL)
    if (isThere !== null && (found !== null) !== isThere) progress.fail(`${id} is ${found === null ? 'lost' : 'back'}`)
    if (found !== null && !contents.has(found.content)) progress.fail(`${id} says ${found.content}`)
  }
  const reviews = lines.filter(({ op, state }) => op === 'review' && state === 'done')
  for (const { id, decision } of reviews) {
    const found = await memory.get(id!, ALL)
    const isRight = decision === 'reject' ? found === null || !found.active : found?.trust === 'operator'
    if (!isRight) progress.fail(`${id} was ${decision}ed and is ${found?.trust ?? 'gone'}`)
  }
  for (const { op, mark, state } of lines) {
    if (op !== 'bulkAdd') continue
    const isDone = state === 'done'
    const { totalCount } = await memory.list({ ...ALL, includeInactive: true, tags: [mark!], limit: 1 })
    // A store with small commits stores a bulk in parts.
    if (isDone ? totalCount !== 20 : totalCount > 20) progress.fail(`of the bulk ${mark} ${totalCount} are there`)
  }
  const persona = lines.filter(({ op }) => op === 'personality')
  const done = persona.findLastIndex(({ state }) => state === 'done')
  if (done >= 0) {
    const allowed = persona.slice(done).map((line) => line.persona)
    const stored = await memory.personality.get(persona[done]!.agent!)
    if (!allowed.includes(stored?.persona))
      progress.fail(`the personality ${persona[done]!.agent} is ${stored?.persona}`)
  }
}
