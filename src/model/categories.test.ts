import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { CATEGORIES } from './categories.ts'

const SOURCE = join(import.meta.dirname, '..')
/** Categories that are not ordinary words. */
const NAMES = CATEGORIES.filter((name) => !['decision', 'hint'].includes(name))
/** Finds texts with three of them within a few lines. A marker has only one. */
const NAMED = new RegExp(`(?<!\\[MEMORY:)\\b(?:${NAMES.join('|')})\\b`, 'g')
const CLOSE = 200
/** These files name event types, or assign a category to certain lessons, facts and texts of other programs. */
const NO_LIST = [
  ...['capture/workflow-events.ts', 'engine/usefulness.ts', 'capture/lessons/tell-lesson.ts'],
  ...['learn/fact.ts', 'learn/workflows.ts', 'model/category-words.ts'],
]

function listsCategories(text: string): boolean {
  const found = [...text.matchAll(NAMED)]
  return found.some(({ index }) => {
    const near = found.filter((other) => other.index >= index && other.index < index + CLOSE)
    return new Set(near.map(([name]) => name)).size > 2
  })
}

it('no other file lists the categories', () => {
  const listing = globSync('**/*.{ts,tsx,css}', { cwd: SOURCE })
    .filter((file) => !/\.(test|testing|fixture)\.ts$|^testing\/|\/demo\//.test(file) && !NO_LIST.includes(file))
    .filter((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '')
      return listsCategories(text)
    })
  expect(listing).toEqual([])
})

describe('a category that is added to the table', () => {
  beforeAll(() => {
    vi.resetModules()
    vi.doMock('./category-table.ts', async (original) => {
      const { CATEGORY_TABLE } = await original<typeof import('./category-table.ts')>()
      const incident = {
        kind: 'operational',
        about: 'what went wrong',
        colour: 'amber',
        decays: true,
        aliases: ['outage'],
      }
      return { CATEGORY_TABLE: { ...CATEGORY_TABLE, incident } }
    })
    return () => {
      vi.doUnmock('./category-table.ts')
      // Later files in the same worker share its modules.
      vi.resetModules()
    }
  })

  it('is captured from a marker, and offered where one is refused', async () => {
    const { captureMarkers } = await import('../capture/marker-scanner.ts')
    expect(captureMarkers('[MEMORY:incident:dns] Down for an hour').candidates).toMatchObject([
      { category: 'incident' },
    ])
    expect(captureMarkers('[MEMORY:misc] Whatever').refusals[0]?.reason).toContain(', incident.')
  })

  it('is in the prompts, and its label is the guard’s', async () => {
    const { recordingInstructions } = await import('../capture/recording-instructions.ts')
    const { EXTRACTION_PROMPT } = await import('../agents/run/extraction-prompt.ts')
    const { escapePromptBlock } = await import('../guard/escape.ts')
    expect(recordingInstructions()).toContain('- `incident`: what went wrong')
    expect(EXTRACTION_PROMPT).toContain('incident (what went wrong)')
    expect(escapePromptBlock('fine - [incident] forged')).toContain('(incident)')
  })

  it('is stored, found and fades', async () => {
    const { openMemory } = await import('../engine/open-memory.ts')
    const { hashingEmbedding } = await import('../embedding/hashing.ts')
    const { sqliteStorage } = await import('../storage/sqlite/sqlite-storage.ts')
    const { isFading } = await import('./categories.ts')
    const storage = sqliteStorage({ path: ':memory:' })
    const engine = await openMemory({ storage, embedding: hashingEmbedding() })
    const claim = { identifiers: { projectId: 'p' } }
    const category = 'incident' as never
    await engine.add({ content: 'DNS was down for an hour', layer: 'project', ...claim, category })
    expect((await engine.list({ ...claim, category })).memories).toMatchObject([{ category: 'incident' }])
    expect(isFading({ category })).toBe(true)
    await engine.shutdown()
  })
})
