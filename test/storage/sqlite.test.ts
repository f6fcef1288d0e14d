import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { engineCases } from './engine-cases.ts'

const target = {
  name: 'sqlite',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'nokosu-conformance-'))
    return {
      // Power loss is not tested here, and flushing in each case takes most of the time.
      open: async () => sqliteStorage({ path: join(folder, 'memory.db'), durability: 'normal' }),
      destroy: () => rm(folder, { recursive: true }),
    }
  },
}
storageConformance(target, { engine: true })
engineCases(target)
