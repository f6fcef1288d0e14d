import type { FleetAgent } from '../../../engine/fleet.ts'
import type { Profile } from '../../../model/personality.ts'
import { listProfiles } from '../../list-profiles.ts'
import { readFleet } from '../fleet/read-fleet.ts'
import { countOf, formatCount } from '../format.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Empty, NumberCell, NumberHead, Table } from '../parts/blocks.tsx'
import { Bar, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { RangeChoice, readRange } from '../range.tsx'
import { agentPath, type View } from '../view.ts'

interface Row {
  name: string
  profile: Profile | null
  /** null if it did not run in this period. */
  ran: FleetAgent | null
}

export const agentListPages: readonly Page[] = [
  {
    path: '/agents',
    summary: 'All agents that have run, what they learned and read, and the personalities.',
    async handle(view) {
      const range = readRange(view)
      const [profiles, fleet] = await Promise.all([listProfiles(view.parts.memory.personality), readFleet(view, range)])
      const rows = rowsOf(profiles, fleet.agents)
      return sendPage(view, {
        title: 'Agents',
        lead: 'All agents that have run, and what they were shown, used and recorded. A personality comes before an agent’s role instructions, in every project.',
        actions: <RangeChoice view={view} path="/agents" range={range} />,
        children: (
          <div id="results">
            {fleet.counted < fleet.total ? (
              <p class="summary">
                Shown, used and recorded are of the latest {formatCount(fleet.counted)} of {formatCount(fleet.total)}{' '}
                runs.
              </p>
            ) : null}
            {rows.length === 0 ? (
              <Empty icon="agents" title="No agent has run yet" text="Each agent that runs appears here." />
            ) : (
              <Table columns={columns}>
                {rows.map((row) => (
                  <AgentRow view={view} row={row} />
                ))}
              </Table>
            )}
            <OpenOther />
          </div>
        ),
      })
    },
  },
  {
    path: '/agents/open',
    summary: 'Redirects to the page of an agent.',
    handle: (view) => view.context.redirect(agentPath(view, view.query('name') ?? ''), 303),
  },
]

/** Agents that ran, latest first, then agents that did not run but have a personality. */
function rowsOf(profiles: readonly Profile[], agents: readonly FleetAgent[]): Row[] {
  const known = new Map(profiles.map((profile) => [profile.agentName, profile]))
  const ran = agents.flatMap(({ agent, ...counts }) =>
    agent === null ? [] : [{ name: agent, profile: known.get(agent) ?? null, ran: { agent, ...counts } }],
  )
  const names = new Set(ran.map(({ name }) => name))
  const others = profiles.filter(({ agentName }) => !names.has(agentName))
  return [...ran, ...others.map((profile) => ({ name: profile.agentName, profile, ran: null }))]
}

const columns = [
  'Agent',
  <NumberHead title="Runs" />,
  'Succeeded',
  <NumberHead title="Shown" />,
  <NumberHead title="Used" />,
  <NumberHead title="Recorded" />,
  'Last run',
  'Personality',
]

function AgentRow({ view, row: { name, profile, ran } }: { view: View; row: Row }) {
  const version = ran === null ? 'idle' : `${ran.runs}.${ran.succeeded}.${ran.shown}.${ran.used}.${ran.recorded}`
  return (
    <tr id={`a-${name}`} tabindex={-1} data-version={`${version}.${profile?.updatedAt}`}>
      <td class="name">
        <a data-key="Enter" href={agentPath(view, name)}>
          <Stored text={name} />
        </a>
      </td>
      {ran === null ? (
        <td class="fit soft" colspan={6}>
          has not run
        </td>
      ) : (
        <>
          <NumberCell name="runs" value={ran.runs} />
          <td class="fit">
            <Successes ran={ran} />
          </td>
          <NumberCell name="shown" value={ran.shown} />
          <NumberCell name="used" value={ran.used} />
          <NumberCell name="recorded" value={ran.recorded} />
          <td class="when">
            <Time at={ran.lastAt} />
          </td>
        </>
      )}
      <td class="fit">{profile === null ? '–' : profile.updatedAt === null ? 'built in' : 'your own'}</td>
    </tr>
  )
}

export function Successes({ ran: { succeeded, failed } }: { ran: Pick<FleetAgent, 'succeeded' | 'failed'> }) {
  const ended = succeeded + failed
  if (ended === 0) return <span class="soft">–</span>
  const title = `${formatCount(succeeded)} of ${countOf(ended, 'run', 'runs')} that ended`
  return (
    <span class="confidence" title={title}>
      <Bar part={succeeded / ended} kind={succeeded / ended < 0.5 ? 'low' : ''} />
      {Math.round((100 * succeeded) / ended)} %
    </span>
  )
}

function OpenOther() {
  return (
    <form class="filters below" method="get" action="/agents/open">
      <label>
        Give another agent a personality:{' '}
        <input name="name" required placeholder="name" aria-label="Name of another agent" autocomplete="off" />
      </label>
      <button type="submit">Open</button>
    </form>
  )
}
