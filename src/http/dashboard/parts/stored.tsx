import { raw } from 'hono/html'
import { escapeHtml } from '../../../guard/escape.ts'

/** Text that somebody stored: escaped, its invisible characters shown, and unable to turn the direction of what stands around it. */
export function Stored({ text, class: name = '' }: { text: string; class?: string }) {
  return (
    <span class={`stored ${name}`.trim()} dir="auto">
      {raw(escapeHtml(text))}
    </span>
  )
}
