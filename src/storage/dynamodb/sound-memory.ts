import type { z } from 'zod'
import { EVERY_AGENT, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import { type Memory, memorySchema } from '../../model/memory.ts'

type Check = (value: unknown) => boolean

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isText: Check = (value) => typeof value === 'string' && value !== ''
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isTime: Check = (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))

/** A quick type check for a schema, without its bounds. */
function checkOf(schema: z.core.$ZodType): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'nullable': {
      const check = checkOf(def.innerType)
      return (value) => value === null || check(value)
    }
    case 'array': {
      const check = checkOf(def.element)
      return (value) => Array.isArray(value) && value.every(check)
    }
    case 'union': {
      const checks = def.options.map(checkOf)
      return (value) => checks.some((check) => check(value))
    }
    case 'enum': {
      const words = new Set<unknown>(Object.values(def.entries))
      return (value) => words.has(value)
    }
    case 'literal':
      return (value) => def.values.includes(value as never)
    case 'string':
      return (schema as z.ZodString).meta()?.format === 'date-time' ? isTime : isText
    case 'number':
    case 'boolean':
      return (value) => typeof value === def.type
    default:
      return isObject
  }
}

const CHECKS = Object.entries(memorySchema.shape).map(([name, schema]) => [name, checkOf(schema)] as const)

/**
 * Whether an item in our format can be used without full validation. A partition has thousands of items, so this only
 * prevents crashes; commits have validated each field.
 */
export function isSound(value: object, visibleUntil: string, tokens: readonly unknown[]): value is Memory {
  const memory = value as Record<string, unknown>
  for (const [name, check] of CHECKS) if (!check(memory[name])) return false
  if (visibleUntil !== '' && !isTime(visibleUntil)) return false
  const { layer, identifiers } = value as Memory
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]]
  return (
    Object.values(identifiers).every(isText) && owner !== undefined && owner !== EVERY_AGENT && tokens.every(isText)
  )
}
