import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CaptureReport } from '../../src/engine/capture.ts'
import { openMemory } from '../../src/index.ts'
import { createLogger } from '../../src/observe/log.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { kindsOf, query, streamOf, transcriptOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const CAPTURE = ['capture', '--project', 'home']

const SILENT = createLogger('silent')

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Deterministic, so that a failing run fails again. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe('the same session', () => {
  it('captured again, as a stream or as a transcript, changes nothing at all', async () => {
    const { run, json } = workspace()
    const texts = [
      '[MEMORY:timing:jellyfin] Takes 60s to start after restart\n[MEMORY:behavior] The NAS spins down at night',
      '[MEMORY:timing:jellyfin] Takes 20s to start after restart\n[MEMORY:behavior] The NAS spins down at night',
    ]
    await run(CAPTURE, { input: streamOf('earlier', '[MEMORY:timing:jellyfin] Takes 60s to start after restart') })
    await run(CAPTURE, { input: streamOf('run-1', ...texts) })
    // The first line has the time. Only the transcript has the prompt.
    const everything = async () => {
      const lines = (await run(['export', '--all', '--no-vectors', '-'])).stdout.split('\n').slice(1)
      return lines.filter((line) => !line.includes('"type":"prompt"'))
    }
    const before = await everything()
    expect(before.length).toBeGreaterThan(5)
    for (const [input, ...flags] of [
      [transcriptOf('run-1', ...texts), '--format', 'transcript'],
      [streamOf('run-1', ...texts)],
      [streamOf('run-1', ...texts.toReversed())],
      [streamOf('run-1', '[MEMORY:timing:jellyfin] Takes 60s to start after restart')],
    ]) {
      const again = await json<CaptureReport>([...CAPTURE, ...flags], { input: input! })
      expect(new Set(kindsOf(again))).toEqual(new Set(['duplicate']))
    }
    expect(await everything()).toEqual(before)
  })

  it('captured again at any later time changes nothing, whatever was said in between', async () => {
    const SERVICES = ['jellyfin', 'caddy']
    const CLAIMS = [
      'Takes 60s to start after restart',
      'Takes about 60 seconds to start after a restart',
      'Takes 10s to start after restart',
      'Must be started after WireGuard',
      'Can be started independently of WireGuard',
      'Restarts at night',
      'Does not restart at night',
    ]
    const random = seededRandom(17)
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
    const marker = () => {
      const relation = pick(['', '', '', ` (was: ${pick(CLAIMS)})`, ` (confirms: ${pick(CLAIMS)})`])
      return `[MEMORY:timing:${pick(SERVICES)}] ${pick(CLAIMS)}${relation}`
    }
    const kinds = new Set<string>()
    for (let round = 0; round < 15; round++) {
      const memory = await openMemory({ storage: 'sqlite::memory:', embedding: { kind: 'hashing' }, log: SILENT })
      const capture = (session: string, text: string) =>
        memory.capture(bytesOf(streamOf(session, text)), { format: 'stream-json', identifiers: { projectId: 'home' } })
      const state = () => memory.list({ everything: true, includeInactive: true, limit: 100 })
      const said: [string, string][] = []
      for (let at = 0; at < 12; at++) {
        said.push([`run-${at}`, Array.from({ length: 1 + Math.floor(random() * 4) }, marker).join('\n')])
        for (const kind of kindsOf(await capture(...said.at(-1)!))) kinds.add(kind)
        const before = await state()
        expect(new Set(kindsOf(await capture(...pick(said))))).toEqual(new Set(['duplicate']))
        expect(await state()).toEqual(before)
      }
      await memory.shutdown()
    }
    expect(kinds).toEqual(new Set(['insert', 'reinforce', 'contradict', 'duplicate']))
  })

  it('captured by three processes at once leaves each memory once', async () => {
    const { run, folder } = workspace()
    await run(['add', '--project', 'home', 'Something else'])
    const markers = Array.from({ length: 20 }, (_, at) => `[MEMORY:timing:unit-${at}] Starts in ${at} seconds`)
    const input = streamOf('run-1', ...markers)
    const ran = await Promise.all([1, 2, 3].map(() => run(CAPTURE, { input, spawn: true })))
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(query(folder, `SELECT count(*) AS n, max(version) AS version FROM memories`)).toEqual([
      { n: 21, version: 1 },
    ])
    expect(query(folder, 'SELECT key FROM sessions')).toEqual([{ key: 'run-1' }])
    expect(findBrokenInvariants(join(folder, '.nokosu/memory.db'))).toEqual([])
  })
})

describe('many processes', () => {
  it('capturing into one project lose nothing, and leave a history without gaps', async () => {
    const { run, folder } = workspace()
    const shared = '[MEMORY:timing:jellyfin] Takes 60s to start after restart'
    await run(CAPTURE, { input: streamOf('first', shared) })
    const sessions = ['a', 'b', 'c', 'd']
    const ran = await Promise.all(
      sessions.map((name) => {
        const own = Array.from(
          { length: 15 },
          (_, at) => `[MEMORY:behavior:${name}-${at}] Known only to ${name}, as ${at}`,
        )
        return run([...CAPTURE, '--tier', '1'], { input: streamOf(`run-${name}`, shared, ...own), spawn: true })
      }),
    )
    expect(ran.map(({ code, stderr }) => ({ code, warned: stderr.includes('"level"') }))).toEqual(
      sessions.map(() => ({ code: 0, warned: false })),
    )
    expect(query(folder, 'SELECT count(*) AS n FROM memories')).toEqual([{ n: 61 }])
    // Four sessions, four reinforcements, none overwritten: 0.7 + 0.4 is 1.0 at most.
    expect(query(folder, `SELECT confidence, version FROM memories WHERE service = 'jellyfin'`)).toEqual([
      { confidence: 1, version: 5 },
    ])
    expect(findBrokenInvariants(join(folder, '.nokosu/memory.db'))).toEqual([])
  })
})
