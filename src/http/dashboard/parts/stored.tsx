import { raw } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import { escapeHtml } from '../../../guard/escape.ts'

/** Stored text: escaped, with invisible characters made visible, and isolated so that it cannot change the text direction around it. */
export function Stored({ text, class: name = '' }: { text: string; class?: string }) {
  return (
    <span class={`stored ${name}`.trim()} dir="auto">
      {raw(escapeHtml(text))}
    </span>
  )
}

/** Longer texts get a scrolling box, so that the content below stays within reach. */
const LONG = 1500

/** A paragraph of stored text of any length, also scrollable with the keyboard. */
export function Passage({ length, class: name = '', children }: PropsWithChildren<{ length: number; class?: string }>) {
  if (length < LONG) return <p class={name || undefined}>{children}</p>
  return (
    <p class={`${name} passage`.trim()} tabindex={0}>
      {children}
    </p>
  )
}
