import type { Fleet } from '../../../engine/fleet.ts'
import type { MemoryStanding } from '../../../engine/standings.ts'
import { countOf, formatCount } from '../format.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Card, Empty, NumberHead, Table } from '../parts/blocks.tsx'
import { MemoryLink, Owner, Service, State, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { RangeChoice, readRange } from '../range.tsx'
import { agentPath, sessionPath, type View } from '../view.ts'
import { Matrix } from './matrix.tsx'
import { readFleet, readNamed } from './read-fleet.ts'

const MOST_ROWS = 10

type Named = ReadonlyMap<string, MemoryStanding>

export const fleetPage: Page = {
  path: '/fleet',
  summary: 'Who learned what, who was shown it, and how knowledge spread.',
  async handle(view) {
    const range = readRange(view)
    const fleet = await readFleet(view, range)
    const spread = fleet.spread.filter(({ from, readers }) => readers.some(({ agent }) => agent !== from))
    const [top, latest] = [spread.slice(0, MOST_ROWS), fleet.learned.slice(0, MOST_ROWS)]
    const named = await readNamed(view, [...top, ...latest])
    return sendPage(view, {
      title: 'Fleet',
      lead: 'Who learned what, who was shown it, and how far it spread.',
      actions: <RangeChoice view={view} path="/fleet" range={range} />,
      children: (
        <div id="results" class="stack">
          {fleet.total === 0 ? (
            <Empty
              icon="fleet"
              title="No agent ran in this period"
              text="When agents run, this page shows what each of them learned and who read it later."
              command={`${view.parts.command} run --agent nori -- claude -p "your task"`}
            />
          ) : (
            <>
              <p class="summary">
                {countOf(fleet.total, 'run', 'runs')} by {countOf(fleet.agents.length, 'agent', 'agents')}
                {fleet.counted < fleet.total ? `; only the latest ${formatCount(fleet.counted)} are counted` : ''}
              </p>
              <Card
                title="Who read what others learned"
                note="A row for who learned it, a column for who was shown it: how many memories, and how many of them were used. “People” stands for what a person or a program added."
              >
                <Matrix passed={fleet.passed} />
              </Card>
              <Spread view={view} rows={top} named={named} />
              <Learned view={view} rows={latest} spread={fleet.spread} named={named} />
            </>
          )}
        </div>
      ),
    })
  },
}

function AgentName({ view, name }: { view: View; name: string | null }) {
  if (name === null) return <span class="soft">people</span>
  return (
    <a href={agentPath(view, name)}>
      <Stored text={name} />
    </a>
  )
}

function Spread({ view, rows, named }: { view: View; rows: Fleet['spread']; named: Named }) {
  const known = rows.flatMap((row) => {
    const standing = named.get(row.memory)
    return standing === undefined ? [] : [{ ...row, standing }]
  })
  if (known.length === 0) return null
  return (
    <section>
      <h2 class="above">Most widely read</h2>
      <Table
        columns={['Memory', 'Learned by', 'Shown to others', <NumberHead title="Times" />, <NumberHead title="Used" />]}
      >
        {known.map(({ standing, from, readers }) => {
          const others = readers.filter(({ agent }) => agent !== from)
          const sum = (of: (reader: (typeof readers)[number]) => number) =>
            readers.reduce((total, each) => total + of(each), 0)
          return (
            <tr id={`f-${standing.memory.id}`} tabindex={-1} data-version={`${standing.state}.${sum((r) => r.shown)}`}>
              <MemoryCell view={view} standing={standing} />
              <td class="name">
                <AgentName view={view} name={from} />
              </td>
              <td class="readers">
                <span class="names">
                  {others.map(({ agent, used }) => (
                    <span class={used > 0 ? 'chip category' : 'chip'} title={used > 0 ? 'used it' : 'was shown it'}>
                      <Stored text={agent ?? 'unnamed'} />
                    </span>
                  ))}
                </span>
              </td>
              <td class="number">
                {formatCount(sum(({ shown }) => shown))}
                <span class="unit"> times shown</span>
              </td>
              <td class="number">
                {formatCount(sum(({ used }) => used))}
                <span class="unit"> times used</span>
              </td>
            </tr>
          )
        })}
      </Table>
    </section>
  )
}

interface LearnedProps {
  view: View
  rows: Fleet['learned']
  spread: Fleet['spread']
  named: Named
}

function Learned({ view, rows, spread, named }: LearnedProps) {
  const reach = new Map(spread.map(({ memory, from, readers }) => [memory, readers.filter((r) => r.agent !== from)]))
  const known = rows.flatMap((row) => {
    const standing = named.get(row.memory)
    return standing === undefined ? [] : [{ ...row, standing }]
  })
  if (known.length === 0) return null
  return (
    <section>
      <h2 class="above">Recently learned</h2>
      <Table columns={['Memory', 'Learned by', 'Read by others', 'When']}>
        {known.map(({ standing, agent, session, at }) => (
          <tr id={`l-${standing.memory.id}`} tabindex={-1} data-version={standing.state}>
            <MemoryCell view={view} standing={standing} session={session} />
            <td class="name">
              <AgentName view={view} name={agent} />
            </td>
            <td class="fit">{readBy(reach.get(standing.memory.id)?.length ?? 0)}</td>
            <td class="when">
              <Time at={at} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function readBy(others: number): string {
  return others === 0 ? 'nobody yet' : countOf(others, 'agent', 'agents')
}

function MemoryCell({ view, standing, session }: { view: View; standing: MemoryStanding; session?: string }) {
  const { memory, state } = standing
  return (
    <td class="observation">
      <MemoryLink view={view} memory={memory} clamp />
      <div class="about">
        <Service name={memory.service} />
        <Owner view={view} memory={memory} />
        {state === 'active' ? null : <State memory={memory} standing={standing} />}
        {session === undefined ? null : <a href={sessionPath(view, session)}>view run</a>}
      </div>
    </td>
  )
}
