import { afterAll, expect, it } from 'vitest'
import { referenceData } from '../../src/storage/reference/data.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { firstFailure } from '../../src/testing/run-conformance.ts'
import { brokenTarget } from './broken-backends/broken-backend.ts'
import { BROKEN_BACKENDS } from './broken-backends/index.ts'

const caught: string[] = []

it.each(BROKEN_BACKENDS)('the suite finds that $title', async (backend) => {
  const failure = await firstFailure(brokenTarget(backend))
  expect(failure, 'every case passed').not.toBeNull()
  caught.push(`${backend.title} <- ${failure!.name}`)
})

it('every title says something else', () => {
  const titles = BROKEN_BACKENDS.map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
  expect(titles.length).toBeGreaterThanOrEqual(60)
})

it('the reference itself passes every case', async () => {
  const shared = () => {
    const data = referenceData()
    return { open: async () => referenceStorage({ shared: data }), destroy: async () => {} }
  }
  expect(await firstFailure({ name: 'reference', create: async () => shared() })).toBeNull()
})

afterAll(() => {
  console.info(`${caught.length} broken backends, each with the case that found it:\n${caught.join('\n')}`)
})
