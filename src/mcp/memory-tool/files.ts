import type { OwnMemories } from '../../engine/nokosu.ts'
import { explainFlags } from '../../guard/explain-flags.ts'
import { redactSecrets } from '../../guard/redact-secrets.ts'
import { sanitizeText } from '../../guard/sanitize.ts'
import type { Filter } from '../../model/filter.ts'
import type { Layer } from '../../model/layer.ts'
import { LIMITS } from '../../model/limits.ts'
import { everyPage } from '../../model/page.ts'
import { Refused } from './refused.ts'

export interface StoredFile {
  id: string
  /** Duplicates created under the same path at the same time: hidden, and removed with the file. */
  shadows: string[]
  path: string
  text: string
  version: number
}

/** Marks the memories that are files. */
const TAG = 'memory-tool'
/** As JSON, so that the metadata has room for it. */
const MOST_CHARACTERS = 60_000

/**
 * Files as memories: one each, in the caller's scope, and guarded, searched, listed and exported like any other. The content is
 * the text on one line; the original text with its lines is in the metadata.
 */
export class Files {
  readonly #memories: OwnMemories
  readonly #layer: Layer

  constructor(memories: OwnMemories, layer: Layer) {
    this.#memories = memories
    this.#layer = layer
  }

  async at(path: string): Promise<StoredFile | null> {
    return (await this.#find({ file: path }))[0] ?? null
  }

  /** All files in a folder and its subfolders, by path. */
  async under(folder: string): Promise<StoredFile[]> {
    // '0' is the character after '/'.
    const files = await this.#find({ file: { gte: `${folder}/`, lt: `${folder}0` } })
    return files.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  async add(path: string, text: string): Promise<void> {
    const { content, clean } = await this.#prepare(path, text)
    const metadata = { file: path, text: clean }
    const origin = { source: 'extraction', tier: 1, exact: true } as const
    await this.#memories.add({ content, layer: this.#layer, tags: [TAG], metadata, ...origin })
  }

  /** Fails with CONFLICT if it has changed since it was read. */
  async replace({ id, version }: StoredFile, path: string, text: string): Promise<void> {
    const { content, clean } = await this.#prepare(path, text)
    await this.#memories.update(id, { content, metadata: { file: path, text: clean }, version })
  }

  async remove(files: readonly StoredFile[]): Promise<void> {
    await this.#memories.bulkDelete(files.flatMap(({ id, shadows }) => [id, ...shadows]))
  }

  /** Files do not decay; decay is for observations. Held files are not shown. */
  async #find(filter: Filter): Promise<StoredFile[]> {
    const found = new Map<string, StoredFile>()
    const asked = { layers: [this.#layer], tags: [TAG], filter, includeInactive: true, limit: LIMITS.listLimit }
    for await (const { memories } of everyPage((from) => this.#memories.list({ ...asked, ...from }))) {
      for (const { id, trust, version, metadata } of memories) {
        const { file, text } = metadata
        if (trust === 'quarantined' || typeof file !== 'string' || typeof text !== 'string') continue
        // Pages come newest first: if two were created at once, the first stays.
        const later = found.get(file)
        found.set(file, { id, shadows: later ? [later.id, ...later.shadows] : [], path: file, text, version })
      }
    }
    return [...found.values()]
  }

  /**
   * Guards the text line by line, so that the lines stay. Text that would be held is refused: a file that
   * cannot be read back would look lost.
   */
  async #prepare(path: string, text: string): Promise<{ content: string; clean: string }> {
    const clean = redactSecrets(text).text.split('\n').map(cleanLine).join('\n')
    const content = `${path}: ${sanitizeText(clean)}`
    if (JSON.stringify(clean).length > MOST_CHARACTERS)
      throw new Refused(
        `File ${path} exceeds maximum size of ${MOST_CHARACTERS} characters. Split it into several files`,
      )
    const [outcome] = await this.#memories.remember([{ content, category: 'learning' }], {
      layer: this.#layer,
      dryRun: true,
    })
    if (outcome!.kind === 'refuse') throw new Refused(`File ${path} cannot be stored: ${outcome!.reason}`)
    const wasHeld = outcome!.kind === 'duplicate' && outcome!.review !== undefined
    if (wasHeld || outcome!.memory?.trust === 'quarantined') {
      const reasons = explainFlags(outcome!.flags).join('; ')
      throw new Refused(`Nothing was stored: the text reads like an order to its reader (${reasons})`)
    }
    return { content, clean }
  }
}

function cleanLine(line: string): string {
  const clean = sanitizeText(line)
  const same = clean.replace(/\s+/g, '') === line.replace(/\s+/g, '')
  return same ? line : `${/^[ \t]*/.exec(line)![0]}${clean}`
}
