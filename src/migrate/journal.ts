import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { MemoryError } from '../model/errors.ts'
import type { Kind } from './kinds.ts'

/**
 * Digests of the documents last copied. Everything else is derived from the stores, so losing this file costs little:
 * a document that differs later is then reported instead of copied.
 */
const schema = z.strictObject({
  nokosu: z.literal('migration'),
  version: z.literal(1),
  brought: z.record(z.string(), z.record(z.string(), z.string().regex(/^[0-9a-f]+$/))),
})

export class Journal {
  readonly #file: string | null
  readonly #brought = new Map<string, Map<string, bigint>>()
  #saved = ''

  private constructor(file: string | null) {
    this.#file = file
  }

  /** `fresh`: the target is empty, so nothing was copied. Without a file it lasts as long as the process. */
  static async open(file: string | null, { fresh }: { fresh: boolean }): Promise<Journal> {
    const journal = new Journal(file)
    if (fresh || file === null) return journal
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw unusable(file, error)
    })
    if (text === null) return journal
    for (const [kind, documents] of Object.entries(parse(file, text).brought)) {
      journal.#brought.set(kind, new Map(Object.entries(documents).map(([key, hex]) => [key, BigInt(`0x${hex}`)])))
    }
    return journal
  }

  broughtLast(kind: Kind, key: string): bigint | undefined {
    return this.#brought.get(kind)?.get(key)
  }

  bring(kind: Kind, key: string, digest: bigint): void {
    const own = this.#brought.get(kind) ?? new Map<string, bigint>()
    this.#brought.set(kind, own.set(key, digest))
  }

  forget(kind: Kind, key: string): void {
    this.#brought.get(kind)?.delete(key)
  }

  /** Replaces the file atomically: after a kill it is either the old or the new one. */
  async save(): Promise<void> {
    if (this.#file === null) return
    const brought = Object.fromEntries(
      [...this.#brought].map(([kind, own]) => [
        kind,
        Object.fromEntries([...own].map(([key, digest]) => [key, digest.toString(16)])),
      ]),
    )
    const text = JSON.stringify({ nokosu: 'migration', version: 1, brought })
    if (text === this.#saved) return
    const draft = `${this.#file}.${process.pid}.part`
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      const handle = await open(draft, 'w', 0o600)
      await handle.writeFile(text).finally(() => handle.close())
      await rename(draft, this.#file)
    } catch (error) {
      throw unusable(this.#file, error as Error)
    }
    this.#saved = text
  }
}

function parse(file: string, text: string): z.output<typeof schema> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw unusable(file, error as Error)
  }
}

function unusable(file: string, cause: Error): MemoryError {
  return new MemoryError('PROVIDER_ERROR', `The journal of this migration cannot be used: ${file} (${cause.name}).`, {
    retryable: false,
    details: {
      path: file,
      hint: 'Make it readable and writable, or remove it: the migration then goes on without it.',
    },
    cause,
  })
}
