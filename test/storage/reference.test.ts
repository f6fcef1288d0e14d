import { storageConformance } from '../../src/testing/index.ts'
import { engineCases } from './engine-cases.ts'
import { LEAST, referenceTarget } from './reference-target.ts'

// The engine must supply everything that this store lacks.
const target = referenceTarget('without any search, of 7 writes a commit', LEAST)
storageConformance(target, { engine: true })
engineCases(target)
