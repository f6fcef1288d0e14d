import type { JsonValue, Memory } from '../../../model/memory.ts'
import { Category, Confidence } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

const VERBS: Record<string, string> = {
  insert: 'New',
  contradict: 'Corrected',
  reinforce: 'Reinforced',
  duplicate: 'Known',
  refuse: 'Refused',
}

/** What became of one thing that a run said. */
export function Told({
  view,
  told,
  memory,
}: {
  view: View
  told: { [name: string]: JsonValue }
  memory: Memory | null
}) {
  const kind = String(told.kind)
  const isHeld = memory?.trust === 'quarantined'
  return (
    <li>
      <span class={isHeld || kind === 'refuse' || kind === 'contradict' ? 'chip warn' : 'chip category'}>
        {isHeld ? 'Held' : (VERBS[kind] ?? kind)}
      </span>{' '}
      {memory === null ? (
        <Stored text={String(told.content ?? '')} />
      ) : (
        <a href={href(view, `/memories/${encodeURIComponent(memory.id)}`)}>
          <Stored text={memory.content} />
        </a>
      )}
      <div class="about">
        <Stored text={String(told.reason ?? '')} />
      </div>
    </li>
  )
}

/** A memory in a list of a run. */
export function Entry({ view, id, memory, note }: { view: View; id: string; memory: Memory | null; note?: string }) {
  return (
    <li class={memory?.active ? undefined : 'faded'}>
      <a href={href(view, `/memories/${encodeURIComponent(id)}`)}>
        {memory === null ? 'a memory that is gone' : <Stored text={memory.content} />}
      </a>
      <div class="about">
        {memory === null ? null : (
          <>
            <Category name={memory.category} />
            <Confidence value={memory.confidence} active={memory.active} />
          </>
        )}
        {note === undefined ? null : <span>{note}</span>}
      </div>
    </li>
  )
}
