import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type Plain = string | number | boolean | null | Uint8Array | readonly string[]
export type PlainItem = Record<string, Plain>
export type Item = Record<string, AttributeValue>

export function toItem(plain: PlainItem): Item {
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, toAttribute(value)]))
}

export function toAttribute(value: Plain): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: value }
  return { L: value.map((text) => ({ S: text })) }
}

/** A string attribute; undefined if it is absent or has another type. */
export function textOf(item: Item, name: string): string | undefined {
  return item[name]?.S
}

export function numberOf(item: Item, name: string): number | undefined {
  const text = item[name]?.N
  return text === undefined ? undefined : Number(text)
}

export function bytesOf(item: Item, name: string): Uint8Array | undefined {
  return item[name]?.B
}

export function textsOf(item: Item, name: string): string[] {
  const { L: list, SS: set } = item[name] ?? {}
  return set ?? (list ?? []).flatMap(({ S: text }) => text ?? [])
}

/** An attribute as JSON, where possible; undefined for bytes and absent attributes. */
export function plainOf(attribute: AttributeValue | undefined): unknown {
  if (attribute === undefined) return undefined
  const { S, N, BOOL, L, M, SS, NS, NULL } = attribute
  if (N !== undefined) return Number(N)
  if (NULL) return null
  if (M) return Object.fromEntries(Object.entries(M).map(([name, each]) => [name, plainOf(each)]))
  return S ?? BOOL ?? SS ?? NS?.map(Number) ?? L?.map(plainOf)
}
