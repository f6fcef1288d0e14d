import { expect, it } from 'vitest'
import { SCENARIOS, torture } from '../torture/torture.ts'

// Kills, concurrency and leaks on other stores have their own tests; `nokosu torture --stores all` runs these there too.
it.each(Object.keys(SCENARIOS))('a short torture of a file and of a server: %s', async (scenario) => {
  const rows = await torture({ seed: 7, stores: ['sqlite', 'url'], scale: 0.2, only: [scenario] })
  expect(rows.flatMap(({ failures }) => failures)).toEqual([])
  expect(rows.length).toBeGreaterThan(0)
})
