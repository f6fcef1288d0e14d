import { describe, expect, it } from 'vitest'
import { MemoryError } from '../../src/model/errors.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { dump, fill, move } from './stores.ts'

/** Commits of three writes, so that there are many to fail. */
const small = () => referenceStorage({ mode: { maxWrites: 3 } })

/** `commit` gets the number of earlier commits. */
function withCommits(storage: Storage, before: (count: number) => void): Storage {
  let count = 0
  return new Proxy(storage, {
    get(target, name) {
      if (name !== 'commit') return Reflect.get(target, name)
      return async (...args: Parameters<Storage['commit']>) => {
        before(count++)
        return target.commit(...args)
      }
    },
  })
}

async function filled(): Promise<Storage> {
  const source = sqliteStorage({ path: ':memory:' })
  await fill(source)
  return source
}

describe('a migration that ends too early', () => {
  it('goes on where it was, wherever that is, and nothing is there twice', async () => {
    const source = await filled()
    const whole = await dump(source)
    for (let last = 1; ; last += 2) {
      const target = small()
      const breaking = withCommits(target, (count) => {
        if (count === last) throw new MemoryError('PROVIDER_ERROR', 'The disk is full.', { retryable: false })
      })
      const moving = move(source, breaking).then(
        () => 'done',
        (error: Error) => error.message,
      )
      const end = await moving
      if (end === 'done') {
        expect(last).toBeGreaterThan(15)
        return
      }
      expect(end).toBe('The disk is full.')
      let written = 0
      const goingOn = withCommits(target, () => written++)
      expect(await move(source, goingOn)).toMatchObject({ verified: true })
      expect(written, 'what is there is not written again').toBeLessThan(28 - last + 4)
      expect(await dump(target)).toEqual(whole)
    }
  })

  it('tries again what failed for a moment, and an answer that got lost', async () => {
    const source = await filled()
    const target = small()
    let tries = 0
    const breaking = new Proxy(target, {
      get(storage, name) {
        if (name !== 'commit') return Reflect.get(storage, name)
        return async (...args: Parameters<Storage['commit']>) => {
          const result = await storage.commit(...args)
          if (tries++ % 2 === 0) throw new MemoryError('PROVIDER_ERROR', 'The connection was cut.')
          return result
        }
      },
    })
    expect(await move(source, breaking)).toMatchObject({ verified: true, refused: [] })
    expect(await dump(target)).toEqual(await dump(source))
  })

  it('stops when it is asked to, and goes on', async () => {
    const source = await filled()
    const target = small()
    const stop = new AbortController()
    const stopping = withCommits(target, (count) => {
      if (count === 6) stop.abort(new Error('interrupted'))
    })
    await expect(move(source, stopping, { signal: stop.signal })).rejects.toThrow('interrupted')
    expect(await move(source, target)).toMatchObject({ verified: true })
    expect(await dump(target)).toEqual(await dump(source))
  })

  it('leaves out what the target does not take, names it and moves the rest', async () => {
    const source = await filled()
    const target = referenceStorage({ mode: { maxContentLength: 20 } })
    const { verified, settled, refused, kinds } = await move(source, target)
    expect({ verified, settled }).toEqual({ verified: false, settled: true })
    expect(refused.map(({ reason }) => reason)).toContain('The content is longer than 20 characters.')
    expect(kinds.memories).toMatchObject({ source: 6, target: 6 - refused.length, same: false })
    expect(kinds.history.same).toBe(true)
  })
})
