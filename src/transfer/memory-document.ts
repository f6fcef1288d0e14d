import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import { z } from 'zod'
import { DEFAULT_CATEGORY } from '../model/categories.ts'
import { importanceSchema, serviceSchema, tagSchema } from '../model/fields.ts'
import { LIMITS } from '../model/limits.ts'
import { categorySchema, DEFAULT_IMPORTANCE, type Memory, optionalFields } from '../model/memory.ts'
import { readFrontMatter } from './front-matter.ts'

/** A memory as a file shows it: what people edit, and nothing that changes through reading. */
export type MemoryDocument = Pick<
  Memory,
  'content' | 'category' | 'service' | 'tags' | 'importance' | 'pinned' | 'anchor' | 'occurredAt' | 'expiresAt'
>

const LINKS = '## Links'
const UNMERGED = /^(?:<{7}|>{7}) /m

const tags = z.union([z.string(), z.number()]).transform(String)
const fieldsSchema = z.object({
  id: z.string().min(1).max(128).nullish(),
  category: categorySchema.nullish(),
  service: serviceSchema.nullish(),
  tags: z.union([z.array(tags.pipe(tagSchema)).max(LIMITS.tags), z.null()]).optional(),
  importance: importanceSchema.nullish(),
  pinned: z.boolean().nullish(),
  anchor: z.string().max(LIMITS.anchor).nullish(),
  occurred: optionalFields.occurredAt.optional(),
  expires: optionalFields.expiresAt.optional(),
})
const OWN = new Set([...Object.keys(fieldsSchema.shape), 'created'])

export function toDocument(memory: Memory): MemoryDocument {
  const { content, category, service, tags, importance, pinned, anchor, occurredAt, expiresAt } = memory
  return { content: oneLine(content), category, service, tags, importance, pinned, anchor, occurredAt, expiresAt }
}

/** The same for equal documents, whatever the file's spacing or field order. */
export function fingerprint(document: MemoryDocument): string {
  const { content, category, service, tags, importance, pinned, anchor, occurredAt, expiresAt } = document
  const values = [content, category, service, tags, importance, pinned, anchor, occurredAt, expiresAt]
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)
}

/** The same memory always gives the same text. `extra`: fields of other programs, which are kept. */
export function writeDocument(
  document: MemoryDocument,
  more: { id: string; created: string | null; links: readonly string[]; extra: Record<string, unknown> },
): string {
  const { content, category, service, tags, importance, pinned, anchor, occurredAt, expiresAt } = document
  const fields = {
    id: more.id,
    category,
    ...(service === null ? {} : { service }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(importance === DEFAULT_IMPORTANCE ? {} : { importance }),
    ...(pinned ? { pinned } : {}),
    ...(anchor === null ? {} : { anchor }),
    ...(occurredAt === null ? {} : { occurred: occurredAt }),
    ...(expiresAt === null ? {} : { expires: expiresAt }),
    ...(more.created === null ? {} : { created: more.created }),
    ...more.extra,
  }
  const links = more.links.length === 0 ? '' : `\n${LINKS}\n\n${more.links.map((link) => `- ${link}`).join('\n')}\n`
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${content}\n${links}`
}

export interface ReadDocument {
  document: MemoryDocument
  /** Null for a hand-written file. */
  id: string | null
  created: string | null
  extra: Record<string, unknown>
}

/** The memory described by a file, or why there is none. The text may span lines; they are joined into one. */
export function readDocument(text: string): ReadDocument | { problem: string } {
  if (UNMERGED.test(text)) return { problem: 'it has git conflict markers' }
  const { fields, body, isBroken } = readFrontMatter(text)
  if (isBroken) return { problem: 'its front matter is not YAML, or has no end' }
  const parsed = fieldsSchema.safeParse(fields)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { problem: `${issue!.path.join('.')}: ${issue!.message}` }
  }
  const [said = ''] = body.replace(/\r\n/g, '\n').split(new RegExp(`^${LINKS}[ \\t]*$`, 'm'))
  const content = oneLine(said)
  if (content === '') return { problem: 'it has no text' }
  const { id, category, service, tags, importance, pinned, anchor, occurred, expires } = parsed.data
  return {
    document: {
      ...{ content, category: category ?? DEFAULT_CATEGORY, service: service ?? null, tags: [...new Set(tags ?? [])] },
      ...{ importance: importance ?? DEFAULT_IMPORTANCE, pinned: pinned ?? false, anchor: anchor || null },
      ...{ occurredAt: occurred ?? null, expiresAt: expires ?? null },
    },
    id: id ?? null,
    created: typeof fields.created === 'string' ? fields.created : null,
    extra: Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN.has(name))),
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A unique file name that shows what the memory is about. */
export function fileName(content: string, id: string): string {
  const words =
    content
      .toLowerCase()
      .normalize('NFKD')
      .match(/[a-z0-9]+/g) ?? []
  let slug = ''
  for (const word of words) {
    if (slug.length + word.length > 48) break
    slug += slug === '' ? word : `-${word}`
  }
  return `${slug || 'memory'}-${id
    .slice(-8)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '0')}.md`
}
