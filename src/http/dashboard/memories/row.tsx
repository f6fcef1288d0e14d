import type { MemoryStanding } from '../../../engine/standings.ts'
import type { Memory } from '../../../model/memory.ts'
import { Category, Confidence, isShown, MemoryLink, Owner, Service, State, Time } from '../parts/memory-parts.tsx'
import { Menu } from '../parts/menu.tsx'
import { mayChange, memoryPath, sessionPath, type View } from '../view.ts'

export interface RowProps {
  view: View
  memory: Memory
  standing: MemoryStanding | undefined
}

/** One memory in the table. */
export function MemoryRow({ view, memory, standing }: RowProps) {
  const { id, content, confidence, session, version } = memory
  const shown = isShown(memory, standing)
  const mayWrite = mayChange(view, memory)
  return (
    <tr
      id={`m-${id}`}
      tabindex={-1}
      class={shown ? undefined : memory.trust === 'quarantined' ? 'inactive held' : 'inactive'}
      data-version={`${version}.${confidence}.${standing?.state ?? shown}`}
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
      <td class="observation">
        <MemoryLink view={view} memory={memory} clamp />
        <div class="about">
          <Service name={memory.service} />
          <Category name={memory.category} />
          <Owner view={view} memory={memory} />
          {session === null ? null : (
            <a href={sessionPath(view, session)} title={session}>
              view run
            </a>
          )}
        </div>
      </td>
      <td class="fit">
        <Confidence value={confidence} active={shown} />
      </td>
      <td class="fit">
        <State memory={memory} standing={standing} />
      </td>
      <td class="when">
        <Time at={memory.updatedAt} />
      </td>
      <td class="act">{mayWrite ? <Actions view={view} memory={memory} /> : null}</td>
    </tr>
  )
}

function Actions({ view, memory: { id, content, active, trust } }: { view: View; memory: Memory }) {
  return (
    <Menu id={`menu-${id}`} label={`Actions for: ${quote(content)}`}>
      <button
        type="button"
        data-key="e"
        autofocus
        hx-get={memoryPath(view, id, '/edit')}
        hx-target="closest tr"
        hx-swap="outerHTML"
      >
        Edit{' '}
        <span class="key" aria-hidden="true">
          e
        </span>
      </button>
      {trust === 'quarantined' ? null : (
        <button
          type="button"
          hx-post="/memories/bulk"
          hx-vals={JSON.stringify({ action: active ? 'deactivate' : 'raise', id })}
          hx-swap="none"
        >
          {active ? 'Deactivate' : 'Reactivate'}
        </button>
      )}
      <button
        type="button"
        class="danger"
        data-key="d"
        hx-post={`/memories/${encodeURIComponent(id)}/delete`}
        hx-target="closest tr"
        hx-swap="delete"
        hx-confirm={`“${quote(content)}” will be deleted. You can undo it.`}
      >
        Delete…{' '}
        <span class="key" aria-hidden="true">
          d
        </span>
      </button>
    </Menu>
  )
}

/** Maximum length of a quotation, so that questions and titles stay readable. */
const MOST_QUOTED = 120

export function quote(content: string): string {
  const line = content.replace(/\s+/g, ' ')
  return line.length <= MOST_QUOTED ? line : `${line.slice(0, MOST_QUOTED).toWellFormed()}…`
}
