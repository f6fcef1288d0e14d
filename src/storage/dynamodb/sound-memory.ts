import { EVERY_AGENT, LAYERS, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import { CATEGORIES, type Memory, SOURCES, TRUSTS } from '../../model/memory.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isNumber = (value: unknown) => typeof value === 'number'
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isTime = (value: unknown) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)
const listOf = (is: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(is)
const oneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value)

const FIELDS: Record<keyof Memory, (value: unknown) => boolean> = {
  id: isText,
  content: isText,
  layer: oneOf(LAYERS),
  identifiers: (value) => isObject(value) && Object.values(value as object).every(isText),
  category: oneOf(CATEGORIES),
  service: orNull(isText),
  source: oneOf(SOURCES),
  tags: listOf(isText),
  metadata: isObject,
  anchor: orNull(isText),
  importance: isNumber,
  confidence: isNumber,
  active: (value) => typeof value === 'boolean',
  decayedWeeks: isNumber,
  tier: oneOf([0, 1, 2, 3]),
  trust: oneOf(TRUSTS),
  links: listOf(isObject),
  thread: orNull(isObject),
  occurredAt: orNull(isTime),
  session: orNull(isText),
  expiresAt: orNull(isTime),
  lastRecalledAt: orNull(isTime),
  recallCount: isNumber,
  createdAt: isTime,
  updatedAt: isTime,
  version: isNumber,
}
const CHECKS = Object.entries(FIELDS)

/**
 * Whether an item that looks like ours can be read as it is. A partition of thousands is read at once, so this only makes sure that nothing
 * stumbles over it; commits have read each field with its schema.
 */
export function isSound(value: object, visibleUntil: string, tokens: readonly unknown[]): value is Memory {
  const memory = value as Record<string, unknown>
  for (const [name, is] of CHECKS) if (!is(memory[name])) return false
  if (visibleUntil !== '' && !isTime(visibleUntil)) return false
  const { layer, identifiers } = value as Memory
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]]
  return isText(owner) && owner !== EVERY_AGENT && tokens.every(isText)
}
