import type { Personality } from '../model/personality.ts'
import type { AccessToken, DirectoryEntry } from '../model/records.ts'

/** Small records that are read by key or listed in full. */
export interface Documents {
  personality: Personality
  directory: DirectoryEntry
  token: AccessToken
}

export type Collection = keyof Documents

export const COLLECTIONS = ['personality', 'directory', 'token'] as const satisfies readonly Collection[]

/** The key of a document within its collection. */
export function documentKey<Name extends Collection>(collection: Name, document: Documents[Name]): string {
  switch (collection) {
    case 'personality':
      return (document as Personality).agentName
    case 'directory': {
      const { layer, id } = document as DirectoryEntry
      return directoryKey(layer, id)
    }
    default:
      return (document as AccessToken).id
  }
}

export function directoryKey(layer: DirectoryEntry['layer'], id: string): string {
  return `${layer}:${id}`
}
