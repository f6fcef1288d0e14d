import type { Child } from 'hono/jsx'
import { Icon, type IconName } from './icon.tsx'

/** In place of a list without entries: what would be here, and what to do next. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: Child }) {
  return (
    <div class="empty">
      <Icon name={icon} size={40} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}
