import { outcomeOf, type RunOutcome } from '../../../engine/runs.ts'
import type { Session } from '../../../model/records.ts'
import { Stored } from './stored.tsx'

/** The outcome as one coloured word. */
export function OutcomeWord({ outcome }: { outcome: RunOutcome }) {
  return <span class={`state run-${outcome}`}>{outcome}</span>
}

/** The same, with the outcome that the run itself reported. */
export function Outcome({ session }: { session: Session | null }) {
  if (session === null) return <span class="soft">a run you may not see</span>
  const { exitCode, outcome } = session
  return (
    <>
      <OutcomeWord outcome={outcomeOf(session)} />
      {outcome === null || outcome === 'success' ? null : (
        <span class="soft">
          {' '}
          <Stored text={outcome} />
        </span>
      )}
      {exitCode === null || exitCode === 0 ? null : <span class="soft"> exit {exitCode}</span>}
    </>
  )
}
