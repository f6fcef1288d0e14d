import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { schemas } from './schemas.ts'

describe.each(Object.entries(schemas))('%s', (_, { input, output }) => {
  it('can be published as JSON Schema, both ways', () => {
    expect(z.toJSONSchema(input, { io: 'input' })).toHaveProperty('$schema')
    expect(z.toJSONSchema(output)).toHaveProperty('$schema')
  })
})

it('says what a field may be', () => {
  const published = z.toJSONSchema(schemas.add.input, { io: 'input' }) as {
    required: string[]
    additionalProperties: boolean
    properties: Record<string, { enum?: string[]; maxLength?: number; type?: string }>
  }
  expect(published.required).toEqual(['content'])
  expect(published.additionalProperties).toBe(false)
  expect(published.properties.layer?.enum).toContain('project')
  expect(published.properties.content).toMatchObject({ type: 'string', maxLength: 65_536 })
  for (const call of ['add', 'update', 'remember', 'record', 'review', 'beginSession', 'endSession'] as const)
    expect(z.toJSONSchema(schemas[call].input, { io: 'input' }), call).toHaveProperty('properties.key')
})
