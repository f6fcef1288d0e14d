import type { MemoryStanding } from '../../../engine/standings.ts'
import type { Memory } from '../../../model/memory.ts'
import { Category, Confidence, isShown, MemoryLink, Owner, Service, State, Time } from '../parts/memory-parts.tsx'
import type { View } from '../view.ts'

interface EntryProps {
  view: View
  memory: Memory
  standing: MemoryStanding | undefined
  at: string
}

/** One memory in a list. */
export function MemoryEntry({ view, memory, standing, at }: EntryProps) {
  const shown = isShown(memory, standing)
  return (
    <li class={shown ? undefined : 'faded'}>
      <MemoryLink view={view} memory={memory} clamp />
      <div class="about">
        <Service name={memory.service} />
        <Category name={memory.category} />
        <Owner view={view} memory={memory} />
        <Confidence value={memory.confidence} active={shown} />
        <State memory={memory} standing={standing} />
        <Time at={at} />
      </div>
    </li>
  )
}
