import type { PropsWithChildren } from 'hono/jsx'
import { Icon } from './icon.tsx'

/** Actions behind one button. `menus.js` puts it beside the button; the browser closes it. */
export function Menu({ id, label, children }: PropsWithChildren<{ id: string; label: string }>) {
  return (
    <>
      <button type="button" class="quiet menu-button" popovertarget={id} title="Actions">
        <Icon name="more" />
        <span class="hidden-label">{label}</span>
      </button>
      <div class="menu" id={id} popover="auto">
        {children}
      </div>
    </>
  )
}
