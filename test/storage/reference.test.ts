import { storageConformance } from '../../src/testing/index.ts'
import { LEAST, referenceTarget } from './reference-target.ts'

// The engine has to make up for everything that this one lacks.
storageConformance(referenceTarget('without any search, of 7 writes a commit', LEAST), { engine: true })
