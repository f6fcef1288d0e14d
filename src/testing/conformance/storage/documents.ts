import { expect } from 'vitest'
import type { AccessToken, DirectoryEntry } from '../../../model/records.ts'
import { directoryKey } from '../../../storage/documents.ts'
import { group } from '../group.ts'
import { personality } from './records.ts'
import { AT, second, write } from './writing.ts'

function entry(layer: DirectoryEntry['layer'], id: string, fields: Partial<DirectoryEntry> = {}): DirectoryEntry {
  return { layer, id, teamId: null, orgId: null, companyId: null, ...fields }
}

function token(id: string, fields: Partial<AccessToken> = {}): AccessToken {
  return {
    id,
    name: 'For 海苔',
    hash: 'a1'.repeat(32),
    scope: 'write',
    identifiers: { projectId: 'shop' },
    createdAt: AT,
    lastUsedAt: null,
    revokedAt: null,
    ...fields,
  }
}

export const documentCases = group('documents', (it) => {
  it('[B01] are stored one per key, replaced as a whole, listed by key, and removed', async (store) => {
    const [storage, other] = [await store.storage(), await store.storage()]
    expect(await storage.documents('personality')).toEqual([])
    const bare = personality('Nori', { traits: [], communicationStyle: '' })
    await write(storage, [
      { kind: 'put', collection: 'personality', document: personality('nori', { displayName: 'First' }) },
      { kind: 'put', collection: 'personality', document: bare },
    ])
    await write(other, [{ kind: 'put', collection: 'personality', document: personality('nori') }])
    for (const handle of [storage, other]) {
      expect(await handle.documents('personality')).toEqual([bare, personality('nori')])
      expect(await handle.documents('personality', ['nori', 'wasabi'])).toEqual([personality('nori')])
      expect(await handle.documents('personality', ['nori', 'Nori'])).toEqual([bare, personality('nori')])
      expect(await handle.documents('personality', [])).toEqual([])
    }
    await write(storage, [{ kind: 'remove', collection: 'personality', key: 'nori' }])
    expect(await other.documents('personality')).toEqual([bare])
  })

  it('a memory written and removed in one commit does not exist', async (store) => {
    const storage = await store.storage()
    await write(storage, [
      { kind: 'put', collection: 'personality', document: personality('nori') },
      { kind: 'remove', collection: 'personality', key: 'nori' },
    ])
    expect(await storage.documents('personality')).toEqual([])
  })

  it('the collections are separate', async (store) => {
    const storage = await store.storage()
    const entries = [entry('org', 'red'), entry('project', 'red', { teamId: 'blue' }), entry('team', 'red')]
    await write(storage, [
      { kind: 'put', collection: 'personality', document: personality('red') },
      { kind: 'put', collection: 'token', document: token('red') },
      ...entries.map((document) => ({ kind: 'put', collection: 'directory', document }) as const),
    ])
    expect(await storage.documents('directory')).toEqual(entries)
    expect(await storage.documents('directory', [directoryKey('team', 'red')])).toEqual([entry('team', 'red')])
    expect(await storage.documents('token')).toEqual([token('red')])
    await write(storage, [{ kind: 'remove', collection: 'directory', key: directoryKey('org', 'red') }])
    await write(storage, [{ kind: 'remove', collection: 'personality', key: 'red' }])
    expect(await storage.documents('directory')).toEqual(entries.slice(1))
    expect(await storage.documents('personality')).toEqual([])
    const used = token('red', { lastUsedAt: second(1), revokedAt: second(2), identifiers: {} })
    await write(storage, [{ kind: 'put', collection: 'token', document: used }])
    expect(await storage.documents('token', ['red'])).toEqual([used])
  })
})
