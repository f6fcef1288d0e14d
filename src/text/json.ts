const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_DEPTH = 32
const MAX_NODES = 10_000

/**
 * Says why a value is not plain, bounded JSON data, or null when it is. Walks without recursion, so that neither deep
 * nesting nor a cycle can exhaust the stack; run it before a schema, which does recurse.
 */
export function whyUnsafeJson(value: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  let nodes = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (++nodes > MAX_NODES) return `contains more than ${MAX_NODES.toLocaleString('en')} values`
    const problem = whyUnsafeNode(next.value)
    if (problem !== null) return problem
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth >= MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
    for (const key of Object.getOwnPropertyNames(next.value)) {
      if (Array.isArray(next.value) && key === 'length') continue
      if (FORBIDDEN_KEYS.has(key)) return `has the forbidden key "${key}"`
      open.push({ value: (next.value as Record<string, unknown>)[key], depth: next.depth + 1 })
      if (open.length > MAX_NODES) return `contains more than ${MAX_NODES.toLocaleString('en')} values`
    }
  }
  return null
}

function whyUnsafeNode(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'contains a number that is not finite'
  if (typeof value !== 'object') return `contains a ${typeof value}`
  const prototype = Object.getPrototypeOf(value)
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) return null
  return 'contains something other than plain data'
}

/** `JSON.parse` that returns a failure instead of throwing it. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}

/** The value of a JSON text, or a default if it is not JSON. */
export function jsonOr(text: string, other: unknown): unknown {
  const parsed = parseJson(text)
  return parsed.ok ? parsed.value : other
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
