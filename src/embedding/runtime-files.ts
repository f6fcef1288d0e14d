import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { findPackageRoot } from '../package/package-root.ts'

/** The folder below the package root that contains this file; null if it is not installed. Works from `src/` and from `dist/`. */
export function findInstalled(place: string, file: string, from: string = import.meta.url): string | null {
  const root = findPackageRoot(from)
  if (root === null) return null
  const folder = join(root, place)
  return existsSync(join(folder, file)) ? folder : null
}

/** A file's bytes in one read: faster than readFile, which reads a large file in small chunks. */
export async function readWhole(path: string): Promise<Buffer<ArrayBuffer>> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.allocUnsafeSlow(size)
    let offset = 0
    while (offset < size) {
      const { bytesRead } = await file.read(bytes, offset, size - offset, offset)
      if (bytesRead === 0) break
      offset += bytesRead
    }
    return bytes.subarray(0, offset)
  } finally {
    await file.close()
  }
}

/** On the calling thread: WebCrypto would copy everything first, which costs more than it saves. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
