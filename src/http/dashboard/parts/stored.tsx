import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import { escapeHtml } from '../../../guard/escape.ts'

/** Text that somebody stored: escaped, its invisible characters shown, and unable to change the direction of the text around it. */
export function Stored({ text, class: name = '' }: { text: string; class?: string }) {
  return (
    <span class={`stored ${name}`.trim()} dir="auto">
      {raw(escapeHtml(text))}
    </span>
  )
}

/** From this many characters a text gets a box of its own to scroll in, so that what follows stays in reach. */
const LONG = 1500

/** A paragraph of stored text, however long. The keyboard scrolls it too. */
export function Passage({ length, class: name = '', children }: PropsWithChildren<{ length: number; class?: string }>) {
  if (length < LONG) return <p class={name || undefined}>{children}</p>
  return (
    <p class={`${name} passage`.trim()} tabindex={0}>
      {children}
    </p>
  )
}
