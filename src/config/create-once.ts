import { linkSync, rmSync, writeFileSync } from 'node:fs'

/** Creates a small file with its whole content atomically. False if it already exists: of several processes, one wins. */
export function createOnce(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}.${performance.now().toString(36).replace('.', '')}`
  try {
    writeFileSync(draft, content, { flag: 'wx' })
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
