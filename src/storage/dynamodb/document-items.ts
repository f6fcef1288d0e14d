import type { z } from 'zod'
import { personalitySchema } from '../../model/personality.ts'
import { jsonOr } from '../../text/json.ts'
import { type Collection, type Documents, documentKey } from '../documents.ts'
import { type Item, type PlainItem, plainOf, textOf, textsOf } from './attributes.ts'
import { readTime } from './read-time.ts'
import type { TableName } from './schema.ts'

const MOST_TRAITS = 16

/** Personalities use the published table. */
export function documentTable(collection: Collection): TableName {
  return collection === 'personality' ? 'agent-personalities' : 'agent-documents'
}

export function documentPlace(collection: Collection, key: string): PlainItem {
  return collection === 'personality' ? { agentName: key } : { collection, key }
}

export function documentItem(collection: Collection, document: Documents[Collection]): PlainItem {
  if (collection === 'personality') return { ...(document as Documents['personality']) }
  const place = documentPlace(collection, documentKey<Collection>(collection, document))
  return { ...place, record: JSON.stringify(document) }
}

/** null if this item is not a document. */
export function toDocument(collection: Collection, item: Item): Documents[Collection] | null {
  return collection === 'personality'
    ? toPersonality(item)
    : (jsonOr(textOf(item, 'record') ?? '', null) as Documents[Collection] | null)
}

function firstValid(schema: z.ZodType<string>, item: Item, names: readonly string[]): string | undefined {
  return names.flatMap((name) => schema.safeParse(textOf(item, name)).data ?? [])[0]
}

/** Other programs write personalities too. Keeps every field that is valid. */
function toPersonality(item: Item): Documents['personality'] | null {
  const { agentName, displayName, persona, traits, communicationStyle } = personalitySchema.shape
  const name = agentName.safeParse(textOf(item, 'agentName'))
  if (!name.success) return null
  return {
    agentName: name.data,
    // Some call them name and voice.
    displayName: firstValid(displayName, item, ['displayName', 'name']) ?? name.data,
    persona: persona.safeParse(textOf(item, 'persona')).data ?? '',
    traits: textsOf(item, 'traits')
      .filter((trait) => traits.safeParse([trait]).success)
      .slice(0, MOST_TRAITS),
    communicationStyle: firstValid(communicationStyle, item, ['communicationStyle', 'voice']) ?? '',
    updatedAt: readTime(plainOf(item.updatedAt)) ?? '1970-01-01T00:00:00.000Z',
  }
}
