import type { Memory } from '../../../model/memory.ts'
import { Category, Confidence, isShown, Service, State, Time } from '../parts/memory-parts.tsx'
import { Owner } from '../parts/owner.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, mayChange, type View } from '../view.ts'

/** A quotation for questions, short enough to be read. */
const MOST_QUOTED = 120

/** One memory in the table. */
export function MemoryRow({ view, memory }: { view: View; memory: Memory }) {
  const { id, content, confidence, category, service, session, updatedAt, version } = memory
  const shown = isShown(memory, view.now)
  const mayWrite = mayChange(view, memory)
  return (
    <tr
      id={`m-${id}`}
      tabindex={-1}
      class={shown ? undefined : memory.trust === 'quarantined' ? 'inactive held' : 'inactive'}
      data-version={`${version}.${confidence}.${shown}`}
    >
      {view.access.may('write') ? (
        <td class="check">
          {mayWrite ? (
            <input type="checkbox" name="id" value={id} autocomplete="off" aria-label={`Choose: ${quote(content)}`} />
          ) : null}
        </td>
      ) : null}
      <td class="service">
        <Service name={service} />
      </td>
      <td>
        <Category name={category} />
      </td>
      <td class="observation">
        <a href={href(view, `/memories/${encodeURIComponent(id)}`)} data-key="open">
          <Stored class="clamp" text={content} />
        </a>
      </td>
      <td class="fit">
        <Confidence value={confidence} active={shown} />
      </td>
      <td class="fit">
        <State memory={memory} now={view.now} />
      </td>
      <td class="when">
        <Time at={updatedAt} now={view.now} />
      </td>
      <td class="session">
        {session === null ? null : (
          <a href={href(view, `/sessions/${encodeURIComponent(session)}`)} title={session}>
            <Stored text={session} />
          </a>
        )}
        <Owner view={view} memory={memory} />
      </td>
      <td class="act">
        {mayWrite ? (
          <>
            <button
              type="button"
              class="quiet"
              data-key="e"
              hx-get={href(view, `/memories/${encodeURIComponent(id)}/edit`)}
              hx-target="closest tr"
              hx-swap="outerHTML"
            >
              Edit<span class="hidden-label">: {quote(content)}</span>
            </button>
            <button
              type="button"
              class="quiet danger"
              data-key="d"
              hx-post={`/memories/${encodeURIComponent(id)}/delete`}
              hx-target="closest tr"
              hx-swap="delete"
              hx-confirm={`“${quote(content)}” is deleted. You can undo it.`}
            >
              Delete<span class="hidden-label">: {quote(content)}</span>
            </button>
          </>
        ) : null}
      </td>
    </tr>
  )
}

function quote(content: string): string {
  const line = content.replace(/\s+/g, ' ')
  return line.length <= MOST_QUOTED ? line : `${line.slice(0, MOST_QUOTED).toWellFormed()}…`
}
