import { describe, expect, it } from 'vitest'
import { MemoryError } from './errors.ts'
import { accessibleLayers, readableScopes, scopeOf, selects } from './layer.ts'

describe('accessible layers', () => {
  it('[D21] a user in a project reaches user, project and the chain above, not agent or session', () => {
    expect(accessibleLayers({ userId: 'u', projectId: 'p' })).toEqual(['user', 'project', 'team', 'org', 'company'])
  })
  it('the chain opens upward only', () => {
    expect(accessibleLayers({ orgId: 'o' })).toEqual(['org', 'company'])
    expect(accessibleLayers({ companyId: 'c' })).toEqual(['company'])
    expect(accessibleLayers({ agentId: 'a', taskId: 't' })).toEqual(['agent', 'task'])
    expect(accessibleLayers({})).toEqual([])
  })
})

describe('scopes', () => {
  const visible = (written: Parameters<typeof scopeOf>, reader: Parameters<typeof readableScopes>[1]): boolean => {
    const selector = readableScopes(written[0], reader)
    const [layer, identifiers] = written
    return selector !== null && selects(selector, { layer, identifiers })
  }

  it('what an agent learned in one project stays there', () => {
    const inShop = ['agent', { agentId: 'nori', projectId: 'shop' }] as const
    expect(visible([...inShop], { agentId: 'nori', projectId: 'shop' })).toBe(true)
    expect(visible([...inShop], { agentId: 'nori', projectId: 'blog' })).toBe(false)
    expect(visible([...inShop], { agentId: 'nori' })).toBe(false)
    expect(visible(['agent', { agentId: 'nori' }], { agentId: 'nori', projectId: 'blog' })).toBe(true)
  })
  it('two projects may number their tasks alike', () => {
    expect(visible(['task', { taskId: 'T1', projectId: 'shop' }], { taskId: 'T1', projectId: 'blog' })).toBe(false)
    expect(visible(['task', { taskId: 'T1', projectId: 'shop' }], { taskId: 'T1' })).toBe(true)
  })
  it('an open layer whose scope is unknown shows nothing', () => {
    expect(readableScopes('team', { projectId: 'shop' })).toBeNull()
  })
  it('[D20] names the identifier that is missing', () => {
    expect(() => scopeOf('session', { projectId: 'p' })).toThrow(
      expect.objectContaining({ code: 'MISSING_IDENTIFIER', details: { layer: 'session', identifier: 'sessionId' } }),
    )
    expect(MemoryError.is(new Error('no'))).toBe(false)
  })

  it('the tasks of a section are those whose memories name it, in that project', () => {
    const tasks = { layer: 'task', section: 'S1', project: 'shop' } as const
    const left = (identifiers: Parameters<typeof scopeOf>[1]) => selects(tasks, { layer: 'task', identifiers })
    expect(left({ taskId: 'T1', sectionId: 'S1', projectId: 'shop' })).toBe(true)
    expect(left({ taskId: 'T1', sectionId: 'S1', projectId: 'blog' })).toBe(false)
    expect(left({ taskId: 'T1', sectionId: 'S1' })).toBe(false)
    expect(left({ taskId: 'T1', sectionId: 'S2', projectId: 'shop' })).toBe(false)
  })
})
