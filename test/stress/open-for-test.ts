import { onTestFinished } from 'vitest'
import { type DirectStore, openDirect } from './direct-store.ts'

/** A store that is shut down at the end of the test. */
export async function openForTest(path: string, options?: Parameters<typeof openDirect>[1]): Promise<DirectStore> {
  const store = await openDirect(path, options)
  onTestFinished(() => store.storage.shutdown())
  return store
}
