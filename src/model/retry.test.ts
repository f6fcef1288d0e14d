import { expect, it, vi } from 'vitest'
import { MemoryError } from './errors.ts'
import { DEFAULT_RETRY, retryDelay, withRetry } from './retry.ts'

const quick = { retries: 3, baseMs: 1, factor: 2, maxMs: 4 }
const transient = () => new MemoryError('PROVIDER_ERROR', 'busy')

it('[D24] tries three times more, then hands on the error', async () => {
  const work = vi.fn(() => Promise.reject(transient()))
  await expect(withRetry(quick, work)).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true })
  expect(work).toHaveBeenCalledTimes(4)
})

it('does not repeat what cannot succeed', async () => {
  for (const error of [new MemoryError('INVALID_INPUT', 'no'), new TypeError('bug')]) {
    const work = vi.fn(() => Promise.reject(error))
    await expect(withRetry(quick, work)).rejects.toBe(error)
    expect(work).toHaveBeenCalledTimes(1)
  }
})

it('waits longer each time, with jitter, up to the most', () => {
  const delays = [0, 1, 2, 8].map((retry) => retryDelay(DEFAULT_RETRY, retry, transient(), () => 1))
  expect(delays).toEqual([100, 200, 400, 10_000])
  expect(retryDelay(DEFAULT_RETRY, 0, transient(), () => 0)).toBe(50)
})

it('[D25] waits as long as the server asked', async () => {
  const limited = new MemoryError('RATE_LIMITED', 'slow down', { details: { retryAfterMs: 30 } })
  const waits: number[] = []
  const work = vi.fn().mockRejectedValueOnce(limited).mockResolvedValue('done')
  await expect(withRetry(quick, work, (_, delay) => waits.push(delay))).resolves.toBe('done')
  expect(waits).toEqual([30])
})

it('gives up at once when asked to wait beyond reason', async () => {
  const limited = new MemoryError('RATE_LIMITED', 'tomorrow', { details: { retryAfterMs: 86_400_000 } })
  const work = vi.fn(() => Promise.reject(limited))
  await expect(withRetry(quick, work)).rejects.toBe(limited)
  expect(work).toHaveBeenCalledTimes(1)
})
