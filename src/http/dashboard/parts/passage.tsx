import type { PropsWithChildren } from 'hono/jsx'

/** Characters from which a text gets a box of its own to scroll in: what stands below it stays in reach. */
const LONG = 1500

/** A paragraph of text that somebody stored, however long. The keyboard scrolls it too. */
export function Passage({ length, class: name = '', children }: PropsWithChildren<{ length: number; class?: string }>) {
  if (length < LONG) return <p class={name || undefined}>{children}</p>
  return (
    <p class={`${name} passage`.trim()} tabindex={0}>
      {children}
    </p>
  )
}
