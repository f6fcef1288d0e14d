import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CaptureReport } from '../../src/engine/capture.ts'
import type { SweepReport } from '../../src/engine/sweep.ts'
import type { Memory } from '../../src/index.ts'
import { findBrokenInvariants } from '../stress/invariants.ts'
import { age, kindsOf, MODEL, query, streamOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const CAPTURE = ['capture', '--project', 'home']
const STANDING = 'SELECT observation, confidence, active FROM memories ORDER BY id'

/** A workspace with one memory, and a way to add more. */
async function knowing(content: string, ...flags: string[]) {
  const place = workspace()
  const add = ['add', '--project', 'home', ...flags, content]
  const { memory } = await place.json<{ memory: Memory }>(add, MODEL)
  const say = (session: string, marker: string) =>
    place.json<CaptureReport>(CAPTURE, { input: streamOf(session, marker), ...MODEL })
  const standing = () => query(place.folder, STANDING)
  return { ...place, memory, say, standing }
}

describe('reinforcement', () => {
  it('[E20] a paraphrase raises the confidence to 0.8, refreshes the time, and adds no row', async () => {
    const flags = ['--category', 'timing', '--service', 'jellyfin']
    const { folder, memory, say, standing } = await knowing('Takes 60s to start after restart', ...flags)
    const marker = '[MEMORY:timing:jellyfin] Takes about 60 seconds to start after a restart'
    expect(kindsOf(await say('run-1', marker))).toEqual(['reinforce'])
    expect(standing()).toEqual([{ observation: 'Takes 60s to start after restart', confidence: 0.8, active: 1 }])
    const [{ updated_at: updatedAt } = { updated_at: '' }] = query<{ updated_at: string }>(
      folder,
      'SELECT updated_at FROM memories',
    )
    expect(updatedAt > memory.updatedAt).toBe(true)
  })
})

describe('contradiction', () => {
  it('weakens once a session, and agents alone do not make an operator’s memory inactive', async () => {
    const { json, memory } = await knowing('Ask Ann before a deploy', '--category', 'decision')
    const correct = (session: string, ask: string) => {
      const args = ['add', '--project', 'home', '--category', 'decision', `${ask} (was: Ask Ann before a deploy)`]
      return json(args, { ...MODEL, env: { ...MODEL.env, ...(session === '' ? {} : { NOKOSU_SESSION: session }) } })
    }
    const standing = async () => {
      const { confidence, active } = await json<Memory>(['get', '--all', memory.id])
      return { confidence, active }
    }
    await correct('a', 'Deploys need nobody')
    await correct('a', 'Ask Bob before lunch')
    await correct('a', 'Releases go out at noon')
    expect(await standing()).toEqual({ confidence: 0.5, active: true })
    await correct('b', 'Ask the bot in the channel')
    await correct('c', 'Only a green build counts')
    await correct('d', 'Mondays are free of rules')
    expect(await standing()).toEqual({ confidence: 0.3, active: true })
    await correct('', 'Ask Cem before a deploy')
    expect(await standing()).toEqual({ confidence: 0.1, active: false })
  })
})

describe('decay', () => {
  const start = (session: string) => ['context', '--project', 'home', '--shown-to', session]
  async function aged(days: number, confidence: string) {
    const place = workspace()
    await place.json([
      ...'add --project home --tier 1 --category timing --confidence'.split(' '),
      confidence,
      'The disk is slow',
    ])
    const then = age(place.folder, days)
    const state = () => query(place.folder, 'SELECT confidence, active, updated_at FROM memories')
    return { ...place, then, state }
  }

  it('[E25] 44 days take 0.2, once, however many sessions start and sweeps run', async () => {
    const { run, json, state, then, folder } = await aged(44.5, '0.7')
    const decayed = [{ confidence: 0.5, active: 1, updated_at: then }]
    const first = await run(start('run-1'))
    expect(first.stdout).toContain('(confidence: 0.5)')
    expect(state()).toEqual(decayed)
    await Promise.all(['run-2', 'run-3', 'run-4'].map((session) => run(start(session))))
    await json(['sweep'])
    expect(state()).toEqual(decayed)
    const changes = query<{ by: string }>(folder, 'SELECT by FROM changes ORDER BY seq')
    expect(changes.filter(({ by }) => by === 'decay')).toHaveLength(1)
    expect(findBrokenInvariants(join(folder, '.nokosu/memory.db'))).toEqual([])
  })
})

describe('time to live, and the end', () => {
  it('[C15] past its time a memory is on no read path at once, and the sweep removes it', async () => {
    const { run, json, failure, folder } = workspace()
    const add = (...args: string[]) =>
      json<{ memory: Memory }>(['add', '--project', 'home', '--category', 'timing', ...args])
    const { memory } = await add('--expires', '1h', 'The disk is slow today')
    await add('The disk is old')
    expect((await run(['context', '--project', 'home'])).stdout).toContain('(2 memories')
    query(folder, `UPDATE memories SET expires_at = '2026-01-01T00:00:00.000Z' WHERE ulid = ?`, memory.id)
    const reads = [
      ['context', '--project', 'home'],
      ['list', '--project', 'home'],
      ['search', '--project', 'home', '--threshold', '0', 'disk'],
      ['context', '--format', 'query', '--query', 'disk', '--threshold', '0', '--project', 'home'],
    ]
    for (const { stdout } of await Promise.all(reads.map((read) => run(read)))) {
      expect([stdout.includes('today'), stdout.includes('old')]).toEqual([false, true])
    }
    // It does not prevent the same observation from being stored again.
    const again = streamOf('run-1', '[MEMORY:timing] The disk is slow today')
    expect(kindsOf(await json<CaptureReport>([...CAPTURE, '--dry-run'], { input: again }))).toEqual(['insert'])
    expect(await json<SweepReport>(['sweep'])).toMatchObject({ expired: 1 })
    expect(await failure(['get', '--project', 'home', memory.id])).toMatchObject({ code: 'MEMORY_NOT_FOUND' })
    expect(query(folder, 'SELECT observation FROM memories')).toEqual([{ observation: 'The disk is old' }])
    expect(await json<SweepReport>(['sweep'])).toMatchObject({ expired: 0 })
  })

  it('purge removes for good what is inactive, with its history, and only with --yes', async () => {
    const { run, json, failure, folder } = workspace()
    const { memory } = await json<{ memory: Memory }>(['add', '--project', 'home', 'Wrong from the start'])
    await json(['add', '--project', 'home', 'Still true'])
    await json(['update', '--project', 'home', memory.id, '--inactive'])
    expect(await failure(['purge'])).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('--yes') })
    expect(await json(['purge', '--older-than', '1', '--yes'])).toMatchObject({ memories: 0 })
    expect(await json(['purge', '--dry-run'])).toMatchObject({ memories: 1, changes: 2, vectors: 1 })
    expect(query(folder, 'SELECT observation FROM memories')).toHaveLength(2)
    expect(await json(['purge', '--yes'])).toMatchObject({ memories: 1, changes: 2, vectors: 1, erased: true })
    expect(query(folder, 'SELECT observation FROM memories')).toEqual([{ observation: 'Still true' }])
    expect(query(folder, 'SELECT * FROM changes WHERE memory = ?', memory.id)).toEqual([])
    expect((await run(['export', '--all', '-'])).stdout).not.toContain('Wrong')
    for (const file of readdirSync(join(folder, '.nokosu'))) {
      expect(readFileSync(join(folder, '.nokosu', file), 'latin1')).not.toMatch(/Wrong from|wrong/)
    }
    expect(findBrokenInvariants(join(folder, '.nokosu/memory.db'))).toEqual([])
  })

  it('purge says when the text is still in the files, because another process reads them, and when it is gone', async () => {
    const { run, json, folder } = workspace()
    const file = join(folder, '.nokosu/memory.db')
    const { memory } = await json<{ memory: Memory }>(['add', '--project', 'home', 'Wrong from the start'])
    const isLegible = () =>
      readdirSync(dirname(file)).some((name) =>
        readFileSync(join(dirname(file), name), 'latin1').includes('Wrong from'),
      )
    const script = `const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(${JSON.stringify(file)}, { readOnly: true })
database.exec('BEGIN; SELECT count(*) FROM memories')
process.stdout.write('reading')
process.stdin.resume().on('end', () => process.exit())`
    const reader = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] })
    await once(reader.stdout, 'data')
    await json(['delete', '--project', 'home', memory.id])
    const { stdout } = await run(['purge', '--yes'])
    expect(stdout).toMatch(
      /^Removed 0 memories, 2 entries of history, .*\nNot erased yet\. The removed text may .* the store's file and .*\(-wal\).*[^.]\.\n$/,
    )
    expect(isLegible()).toBe(true)
    expect(await json(['purge', '--yes'])).toMatchObject({ changes: 0, erased: false, remains: expect.any(String) })
    reader.stdin.end()
    await once(reader, 'exit')
    expect((await run(['purge', '--yes'])).stdout).toMatch(
      /\nThe removed memories and their history are gone from the store’s files\. Quotes of them in other memories stay\.\n$/,
    )
    expect(isLegible()).toBe(false)
  })
})
