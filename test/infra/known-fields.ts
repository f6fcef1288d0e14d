/**
 * The fields of a document that a check never looks at, as paths. The published schemas of Kubernetes allow any further field, as
 * a misspelt one would be; but what they know of, their check reads.
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
