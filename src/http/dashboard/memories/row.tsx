import type { Memory } from '../../../model/memory.ts'
import { Category, Confidence, isShown, MemoryLink, Owner, Service, State, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { mayChange, memoryPath, sessionPath, type View } from '../view.ts'

/** One memory in the table. */
export function MemoryRow({ view, memory }: { view: View; memory: Memory }) {
  const { id, content, confidence, session, version } = memory
  const shown = isShown(memory)
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
            <input
              type="checkbox"
              name="id"
              value={id}
              data-key="x"
              autocomplete="off"
              aria-label={`Select: ${quote(content)}`}
            />
          ) : null}
        </td>
      ) : null}
      <td class="service">
        <Service name={memory.service} />
      </td>
      <td>
        <Category name={memory.category} />
      </td>
      <td class="observation">
        <MemoryLink view={view} memory={memory} clamp />
      </td>
      <td class="fit">
        <Confidence value={confidence} active={shown} />
      </td>
      <td class="fit">
        <State memory={memory} />
      </td>
      <td class="when">
        <Time at={memory.updatedAt} />
      </td>
      <td class="session">
        {session === null ? null : (
          <a href={sessionPath(view, session)} title={session}>
            <Stored text={session} />
          </a>
        )}
        <Owner view={view} memory={memory} />
      </td>
      <td class="act">{mayWrite ? <Actions view={view} memory={memory} /> : null}</td>
    </tr>
  )
}

function Actions({ view, memory: { id, content } }: { view: View; memory: Memory }) {
  return (
    <>
      <button
        type="button"
        class="quiet"
        data-key="e"
        hx-get={memoryPath(view, id, '/edit')}
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
        hx-confirm={`“${quote(content)}” will be deleted. You can undo it.`}
      >
        Delete<span class="hidden-label">: {quote(content)}</span>
      </button>
    </>
  )
}

/** Characters of a quotation, so that questions and titles stay readable. */
const MOST_QUOTED = 120

export function quote(content: string): string {
  const line = content.replace(/\s+/g, ' ')
  return line.length <= MOST_QUOTED ? line : `${line.slice(0, MOST_QUOTED).toWellFormed()}…`
}
