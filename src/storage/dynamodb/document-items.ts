import { type Collection, type Documents, documentKey } from '../documents.ts'
import { type Item, type PlainItem, textOf, textsOf } from './attributes.ts'
import type { TableName } from './schema.ts'

/** Personalities have the published table of their own. */
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

export function toDocument(collection: Collection, item: Item): Documents[Collection] {
  if (collection !== 'personality') return JSON.parse(textOf(item, 'record')!) as Documents[Collection]
  return {
    agentName: textOf(item, 'agentName')!,
    displayName: textOf(item, 'displayName') ?? textOf(item, 'agentName')!,
    persona: textOf(item, 'persona') ?? '',
    traits: textsOf(item, 'traits'),
    communicationStyle: textOf(item, 'communicationStyle') ?? '',
    updatedAt: textOf(item, 'updatedAt') ?? '1970-01-01T00:00:00.000Z',
  }
}
