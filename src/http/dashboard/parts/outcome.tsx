import type { Session } from '../../../model/records.ts'
import { Stored } from './stored.tsx'

export function Outcome({ session }: { session: Session | null }) {
  if (session === null) return <span class="soft">a run you may not see</span>
  const { endedAt, exitCode, outcome } = session
  if (endedAt === null) return <span class="state running">running</span>
  const failed = (exitCode !== null && exitCode !== 0) || /error|fail/i.test(outcome ?? '')
  return (
    <span class={failed ? 'state failed-run' : 'state'}>
      {failed ? 'failed' : 'succeeded'}
      {outcome === null || outcome === 'success' ? null : (
        <span class="soft">
          <Stored text={outcome} />
        </span>
      )}
      {exitCode === null || exitCode === 0 ? null : <span class="soft">exit {exitCode}</span>}
    </span>
  )
}
