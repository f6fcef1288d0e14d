import { dirname } from 'node:path'
import type { Generated } from './generate.ts'
import type { Reached, Trial } from './plan.ts'

/** The CPU time limit for the tests of one mutation. Slower tests are left out, which can only lower the score. */
const MOST_MS = 20_000

interface Candidate {
  file: string
  name: string
  ms: number
  /** Tests close to the mutation are more likely to catch it. */
  distance: number
}

/** The tests that reach each mutation, most likely and fastest first. */
export function chooseTests(mutants: readonly Generated[], reached: readonly Reached[]): Map<number, Trial> {
  const byId = new Map<number, Candidate[]>(mutants.map(({ id }) => [id, []]))
  // What runs while a file is loaded is recorded only for the first test file of a worker.
  const loading = new Set(reached.flatMap(({ always }) => always))
  for (const { file, always, tests } of reached) {
    // A test of a constant may run no function of its file.
    const constants = mutants.filter(
      ({ id, isStatic, file: source }) =>
        (isStatic || loading.has(id)) && distanceOf(source, file) <= (isStatic ? 0 : 1),
    )
    const everywhere = new Set([...always, ...constants.map(({ id }) => id)])
    for (const { name, ms, ids } of tests) {
      for (const id of new Set([...ids, ...everywhere])) {
        byId.get(id)?.push({ file, name, ms, distance: distanceOf(mutants[id]!.file, file) })
      }
    }
  }
  return new Map([...byId].map(([id, candidates]) => [id, { id, files: grouped(cheapest(candidates)) }]))
}

function cheapest(candidates: readonly Candidate[]): Candidate[] {
  let left = MOST_MS
  return candidates
    .toSorted((a, b) => a.distance - b.distance || a.ms - b.ms)
    .filter(({ ms }) => {
      if (ms > left) return false
      left -= ms
      return true
    })
}

function grouped(candidates: readonly Candidate[]): Trial['files'] {
  const byFile = Map.groupBy(candidates, ({ file }) => file)
  return [...byFile].map(([file, own]) => ({ file, tests: own.map(({ name }) => name) }))
}

/** 0 for the test of that very file, 1 within its folder, 2 elsewhere in its room, 3 beyond. */
function distanceOf(source: string, test: string): number {
  if (test === source.replace(/\.ts$/, '.test.ts')) return 0
  if (dirname(test) === dirname(source)) return 1
  return test.split('/')[1] === source.split('/')[1] ? 2 : 3
}
