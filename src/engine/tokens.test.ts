import { describe, expect, it, onTestFinished } from 'vitest'
import { referenceStorage } from '../storage/reference/reference-storage.ts'
import { openMemory } from './open-memory.ts'

async function open() {
  const storage = referenceStorage()
  const memory = await openMemory({ storage, embedding: { kind: 'hashing' }, relations: null })
  onTestFinished(() => memory.shutdown())
  return { storage, ...memory }
}

describe('tokens', () => {
  it('are shown once: the store keeps a hash', async () => {
    const { storage, tokens } = await open()
    const { token, secret } = await tokens.create({ name: 'ops', scope: 'admin' })
    expect(secret).toMatch(/^nks_[0-9a-f]{16}_[\w-]{43}$/)
    expect(token).toEqual({
      ...{ id: secret.split('_')[1], name: 'ops', scope: 'admin', identifiers: {} },
      ...{ createdAt: expect.any(String), lastUsedAt: null, revokedAt: null },
    })
    expect(JSON.stringify(await storage.documents('token'))).not.toContain(secret.slice(21))
    expect(await tokens.list()).toEqual([token])
  })

  it('are verified by their whole secret', async () => {
    const { tokens } = await open()
    const { token, secret } = await tokens.create({ name: 'ops', scope: 'read', identifiers: { projectId: 'shop' } })
    expect(await tokens.verify(secret)).toMatchObject({
      id: token.id,
      scope: 'read',
      identifiers: { projectId: 'shop' },
    })
    const wrong = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
    for (const other of [wrong, '', 'nks_', token.id, `${secret}x`, `${token.id}/used`]) {
      expect(await tokens.verify(other), other).toBeNull()
    }
  })

  it('are revoked by name or id, and stay revoked when a server notes a use afterwards', async () => {
    const { tokens } = await open()
    const { secret, token } = await tokens.create({ name: 'ci', scope: 'write' })
    const used = new Date('2026-01-01T00:00:00Z')
    await tokens.used(new Map([[token.id, used]]))
    expect((await tokens.list())[0]).toMatchObject({ name: 'ci', lastUsedAt: used.toISOString(), revokedAt: null })
    expect((await tokens.revoke('ci')).revokedAt).not.toBeNull()
    await tokens.used(new Map([[token.id, new Date()]]))
    expect(await tokens.verify(secret)).toBeNull()
    expect(await tokens.find(token.id)).toBeNull()
    expect(await tokens.list()).toHaveLength(1)
    await expect(tokens.revoke('nobody')).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' })
  })

  it('have names that tell them apart, and from runs', async () => {
    const { tokens } = await open()
    await tokens.create({ name: 'ops', scope: 'read' })
    await expect(tokens.create({ name: 'ops', scope: 'read' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await tokens.revoke('ops')
    const { token } = await tokens.create({ name: 'ops', scope: 'read' })
    expect(await tokens.revoke('ops'), 'the one that is still good').toMatchObject({ id: token.id })
    expect((await tokens.list()).map(({ revokedAt }) => revokedAt === null)).toEqual([false, false])
    for (const name of [
      'session:run-1',
      'ci (session run-1)',
      'local',
      ' Local ',
      'cli',
      'decay',
      'a\nb',
      'a\u202Eb',
      '',
    ]) {
      await expect(tokens.create({ name, scope: 'read' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    }
    await expect(tokens.create({ name: 'x', scope: 'admin', identifiers: { projectId: 'p' } })).rejects.toMatchObject({
      details: { field: 'scope' },
    })
  })
})
