/** Normalizes what does not change the meaning of a text: case, spacing, and a final full stop of any script. */
export function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.\u3002\uff0e\u0964\u06d4]$/, '')
}
