/** Headers that have the page say something, offer to bring memories back, and read its list anew. */
export function told(text: string, undo: readonly string[] = [], refresh = true): Record<string, string> {
  const events = { toast: { text, undo }, ...(refresh ? { refresh: {} } : {}) }
  // Headers hold no more than Latin letters.
  const json = JSON.stringify(events).replace(
    /[\u007F-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { 'hx-trigger': json }
}
