import { memoryStorageData } from '../../src/storage/reference/data.ts'
import { memoryStorage } from '../../src/storage/reference/reference-storage.ts'
import { storageConformance } from '../../src/testing/index.ts'

storageConformance({
  name: 'memory',
  async create() {
    const shared = memoryStorageData()
    return {
      open: async () => memoryStorage({ shared }),
      destroy: async () => {},
    }
  },
})
