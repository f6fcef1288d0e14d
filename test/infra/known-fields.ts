/**
 * The fields of a document that a check does not read, as paths. The Kubernetes schemas allow extra fields, so only this finds a misspelt one.
 */
export function unreadFields(document: object, check: (document: unknown) => void): string[] {
  const unread = new Set<string>()
  const watched = (value: unknown, path: string): unknown => {
    if (value === null || typeof value !== 'object') return value
    const inside = new Map<string, unknown>()
    for (const [key, child] of Object.entries(value)) {
      unread.add(`${path}/${key}`)
      inside.set(key, watched(child, `${path}/${key}`))
    }
    return new Proxy(value, {
      get(target, key) {
        if (typeof key !== 'string' || !inside.has(key)) return Reflect.get(target, key)
        unread.delete(`${path}/${key}`)
        return inside.get(key)
      },
    })
  }
  check(watched(document, ''))
  return [...unread]
}
