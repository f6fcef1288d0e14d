/** A text without what changes nothing about it: case, spacing, and the full stop of whatever script. */
export function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.\u3002\uff0e\u0964\u06d4]$/, '')
}
