import { join } from 'node:path'
import { z } from 'zod'
import type { Collection } from './collection.ts'
import { readRows } from './read-file.ts'

const LANGUAGES = { de: 'German', fr: 'French', es: 'Spanish', ja: 'Japanese' } as const
const rowSchema = z.strictObject({
  memory: z.string(),
  service: z.string().nullable(),
  query: z.string(),
  in: z.string(),
})

/** 50 questions in each of four languages over one store; 36 of each 50 memories are in English, the others in the language of the question. */
export function readLanguages(): Collection[] {
  const rows = Object.entries(LANGUAGES).flatMap(([code, category]) =>
    readRows(join(import.meta.dirname, 'languages', `${code}.jsonl`)).map((row, i) => ({
      ...rowSchema.parse(row),
      ...{ key: `${code} ${i + 1}`, category },
    })),
  )
  const items = rows.map(({ key, memory, service }) => ({ key, content: memory, service }))
  const asks = rows.map(({ key, query, category, in: language }) => ({
    query,
    answers: [key],
    category: `${category}, memory in ${language === 'en' ? 'English' : 'the language'}`,
  }))
  return [{ name: 'languages', items, asks }]
}
