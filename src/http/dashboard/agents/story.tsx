import type { Fleet, FleetAgent } from '../../../engine/fleet.ts'
import type { Run } from '../../../engine/runs.ts'
import type { MemoryStanding } from '../../../engine/standings.ts'
import { readFleet, readNamed } from '../fleet/read-fleet.ts'
import { formatCount } from '../format.ts'
import { MemoryEntry } from '../memories/entry.tsx'
import { Card, Entries } from '../parts/blocks.tsx'
import { Chip, MemoryLink, Service, Time } from '../parts/memory-parts.tsx'
import { OutcomeWord } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import type { Range } from '../range.tsx'
import { href, sessionPath, type View } from '../view.ts'
import { Successes } from './list-page.tsx'

const MOST = 8

export interface Story {
  /** null if it did not run in this period. */
  ran: FleetAgent | null
  runs: Run[]
  learned: Fleet['learned']
  /** What it was shown, most used first. */
  read: Fleet['spread']
  named: ReadonlyMap<string, MemoryStanding>
}

/** What an agent learned, read and did. */
export async function readStory(view: View, agent: string, range: Range): Promise<Story> {
  const { own } = view
  const [fleet, { runs }] = await Promise.all([readFleet(view, range, agent), own.runs({ agent, limit: MOST })])
  const counts = (row: Fleet['spread'][number]) => row.readers[0] ?? { used: 0, shown: 0 }
  const read = fleet.spread
    .toSorted((a, b) => counts(b).used - counts(a).used || counts(b).shown - counts(a).shown)
    .slice(0, MOST)
  const learned = fleet.learned.slice(0, MOST)
  const ran = fleet.agents.find((each) => each.agent === agent) ?? null
  return { ran, runs: ran === null ? [] : runs, learned, read, named: await readNamed(view, [...read, ...learned]) }
}

export function AgentStory({ view, story }: { view: View; story: Story }) {
  const { ran } = story
  if (ran === null) return <p class="lead">It has not run in this period.</p>
  const figures: [name: string, value: string][] = [
    ['Runs', formatCount(ran.runs)],
    ['Memories shown', formatCount(ran.shown)],
    ['Memories used', formatCount(ran.used)],
    ['Memories recorded', formatCount(ran.recorded)],
  ]
  return (
    <>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div class="card figure">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div class="card figure">
          <dt>Succeeded</dt>
          <dd>
            <Successes ran={ran} />
          </dd>
        </div>
      </dl>
      <div class="columns even">
        <Learned view={view} story={story} />
        <Read view={view} story={story} />
      </div>
      <Runs view={view} runs={story.runs} agent={ran.agent} />
    </>
  )
}

function Learned({ view, story: { learned, named } }: { view: View; story: Story }) {
  return (
    <Card title="Recently learned">
      <Entries
        none="Nothing in this period."
        items={learned.flatMap(({ memory, at }) => {
          const standing = named.get(memory)
          return standing === undefined
            ? []
            : [<MemoryEntry view={view} memory={standing.memory} standing={standing} at={at} />]
        })}
      />
    </Card>
  )
}

function Read({ view, story: { read, named } }: { view: View; story: Story }) {
  return (
    <Card title="What it read">
      <Entries
        none="Nothing in this period."
        items={read.flatMap(({ memory, from, readers: [reader] }) => {
          const known = named.get(memory)
          if (known === undefined || reader === undefined) return []
          return [
            <li>
              <MemoryLink view={view} memory={known.memory} clamp />
              <div class="about">
                <Service name={known.memory.service} />
                {reader.used > 0 ? <Chip text={`used ${times(reader.used)}`} kind="good" /> : null}
                <span>shown {times(reader.shown)}</span>
                <span>
                  learned by <Stored text={from === reader.agent ? 'itself' : (from ?? 'people')} />
                </span>
              </div>
            </li>,
          ]
        })}
      />
    </Card>
  )
}

function times(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`
}

function Runs({ view, runs, agent }: { view: View; runs: readonly Run[]; agent: string | null }) {
  return (
    <Card title="Latest runs" more={<a href={href(view, '/sessions', { agent })}>All runs of this agent</a>}>
      <Entries
        none="None."
        items={runs.map(({ session, prompt, outcome, shown, used, recorded }) => (
          <li>
            <a href={sessionPath(view, session.id)}>
              <Stored class="clamp" text={prompt ?? session.id} />
            </a>
            <div class="about">
              <OutcomeWord outcome={outcome} />
              {view.project !== null || session.project === null ? null : <Stored text={session.project} />}
              <span>
                {shown} shown, {used.length} used, {recorded} recorded
              </span>
              <Time at={session.startedAt} />
            </div>
          </li>
        ))}
      />
    </Card>
  )
}
