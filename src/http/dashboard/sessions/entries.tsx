import type { JsonValue } from '../../../model/memory.ts'
import { Category, Confidence } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'
import { type Met, sinceThen } from './as-of.ts'

const VERBS: Record<string, string> = {
  insert: 'New',
  contradict: 'Corrected',
  reinforce: 'Reinforced',
  duplicate: 'Known',
  refuse: 'Refused',
}

/** What became of one thing that a run said. */
export function Told({ view, told, met }: { view: View; told: { [name: string]: JsonValue }; met: Met }) {
  const kind = String(told.kind)
  const memory = met.was
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
        <Since met={met} />
      </div>
    </li>
  )
}

/** A memory in a list of a run, as it was then. */
export function Entry({ view, id, met, note }: { view: View; id: string; met: Met; note?: string }) {
  const memory = met.was
  return (
    <li>
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
        <Since met={met} />
      </div>
    </li>
  )
}

/** Its page tells the rest: who changed it, when, and which words. */
function Since({ met }: { met: Met }) {
  return (
    <>
      {sinceThen(met).map((what) => (
        <span class="chip">{what}</span>
      ))}
    </>
  )
}
