import { withoutBelief } from '../../../lifecycle/decisions.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Change } from '../../../model/records.ts'
import { diffWords } from '../../../text/word-diff.ts'
import { By, Time } from '../parts/memory-parts.tsx'
import { Passage, Stored } from '../parts/stored.tsx'
import type { View } from '../view.ts'

/** Fields whose changes are not listed, or are shown separately: the text, and the decisions behind links. */
const UNREMARKABLE = /^(?:version|updatedAt|decayedWeeks|content|links|lastRecalledAt|recallCount|lastUsedAt|useCount)$/

export function History({ view, changes }: { view: View; changes: readonly Change[] }) {
  const steps: { change: Change; before: Memory | null; name: string }[] = []
  let before: Memory | null = null
  for (const [i, change] of changes.entries()) {
    steps.push({ change, before, name: nameOf(change, changes[i - 1]) })
    before = change.after ?? before
  }
  if (steps.length === 0) return <p class="soft">It was imported without a history.</p>
  return (
    <ol class="timeline">
      {steps.reverse().map(({ change, before: old, name }) => (
        <li class={change.operation === 'delete' ? 'bad' : undefined}>
          <b>{name}</b>{' '}
          <span class="soft">
            by <By view={view} name={change.by} /> · <Time at={change.at} /> · version {change.version}
          </span>
          {change.after === null ? null : <Words before={old} after={change.after} />}
          {change.after === null || old === null ? null : <Fields before={old} after={change.after} />}
        </li>
      ))}
    </ol>
  )
}

function nameOf({ operation, after }: Change, previous: Change | undefined): string {
  if (operation === 'create') return previous?.operation === 'delete' ? 'Restored' : 'Created'
  if (operation === 'delete') return 'Deleted'
  return (after?.useCount ?? 0) > (previous?.after?.useCount ?? 0) ? 'Used' : 'Changed'
}

function Words({ before, after }: { before: Memory | null; after: Memory }) {
  if (before === null)
    return (
      <Passage length={after.content.length}>
        <Stored text={after.content} />
      </Passage>
    )
  if (before.content === after.content) return null
  return (
    <Passage length={before.content.length + after.content.length}>
      {diffWords(before.content, after.content).map(({ kind, text }) => {
        const words = <Stored text={text} />
        return kind === 'same' ? words : kind === 'old' ? <del>{words}</del> : <ins>{words}</ins>
      })}
    </Passage>
  )
}

function Fields({ before, after }: { before: Memory; after: Memory }) {
  const changed = (Object.keys(after) as (keyof Memory)[]).filter(
    (key) => !UNREMARKABLE.test(key) && JSON.stringify(told(before, key)) !== JSON.stringify(told(after, key)),
  )
  if (changed.length === 0) return null
  return (
    <ul class="changes">
      {changed.map((key) => (
        <li>
          {key}: <Stored text={show(told(before, key))} /> →{' '}
          <b>
            <Stored text={show(told(after, key))} />
          </b>
        </li>
      ))}
    </ul>
  )
}

/** Decisions are described beside the history. */
function told(memory: Memory, key: keyof Memory): unknown {
  return key === 'metadata' ? withoutBelief(memory.metadata) : memory[key]
}

function show(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || 'none'
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}
