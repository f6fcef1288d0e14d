import type { JsonValue } from '../../../model/memory.ts'
import { Category, Chip, Confidence, MemoryLink, Service } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { memoryPath, type View } from '../view.ts'
import { type Met, sinceThen } from './as-of.ts'

const VERBS: Record<string, string> = {
  insert: 'New',
  contradict: 'Corrected',
  reinforce: 'Reinforced',
  duplicate: 'Known',
  refuse: 'Refused',
}

export function OutcomeEntry({ view, told, met }: { view: View; told: { [name: string]: JsonValue }; met: Met }) {
  const kind = String(told.kind)
  const memory = met.was
  const isHeld = memory?.trust === 'quarantined'
  const isWarning = isHeld || kind === 'refuse' || kind === 'contradict'
  return (
    <li>
      <Chip text={isHeld ? 'Held' : (VERBS[kind] ?? kind)} kind={isWarning ? 'warn' : 'category'} />{' '}
      {memory === null ? <Stored text={String(told.content ?? '')} /> : <MemoryLink view={view} memory={memory} />}
      <div class="about">
        {memory === null ? null : <Service name={memory.service} />}
        <Stored text={String(told.reason ?? '')} />
        <Since met={met} />
      </div>
    </li>
  )
}

interface EntryProps {
  view: View
  id: string
  met: Met
  note?: string
  /** The run acted on it. */
  isUsed?: boolean
}

export function Entry({ view, id, met, note, isUsed = false }: EntryProps) {
  const memory = met.was
  return (
    <li>
      {memory === null ? (
        <a href={memoryPath(view, id)}>a deleted memory</a>
      ) : (
        <MemoryLink view={view} memory={memory} />
      )}
      <div class="about">
        {isUsed ? <Chip text="used" kind="good" /> : null}
        {memory === null ? null : (
          <>
            <Service name={memory.service} />
            <Category name={memory.category} />
            <Confidence value={memory.confidence} active={memory.active} />
          </>
        )}
        {note === undefined ? null : <Stored text={note} />}
        <Since met={met} />
      </div>
    </li>
  )
}

/** The memory’s own page has the rest: who changed it, when, and which words. */
function Since({ met }: { met: Met }) {
  return (
    <>
      {sinceThen(met).map((what) => (
        <Chip text={what} />
      ))}
    </>
  )
}
