import type { Memory } from '../../../model/memory.ts'
import { DemoNote } from '../demo/demo-card.tsx'
import { demoState } from '../demo/demo-data.ts'
import { sendPage } from '../layout.tsx'
import { MemoryEntry } from '../memories/entry.tsx'
import type { Page } from '../pages.ts'
import { Card, Entries } from '../parts/blocks.tsx'
import { Confidence, MemoryLink, Time } from '../parts/memory-parts.tsx'
import { RangeChoice, readRange } from '../range.tsx'
import { type Standings, standingsOf } from '../standings.ts'
import { href, type View } from '../view.ts'
import { AttentionList, Figures } from './figures.tsx'
import { GrowthPlot, LearnedPlot, UsePlot } from './plots.tsx'
import { Tallies } from './ranks.tsx'
import { type Fading, type Overview, readOverview } from './read-overview.ts'
import { Welcome } from './welcome.tsx'

const FADING = 5
/** Days in the charts when the range is all time. */
const MOST_DAYS = 90

export const overviewPage: Page = {
  path: '/',
  summary: 'The first page: whether it is working.',
  async handle(view) {
    const range = readRange(view) ?? MOST_DAYS
    const [overview, health] = await Promise.all([readOverview(view, range), view.parts.memory.healthCheck()])
    const { tally, newest } = overview
    const [demo, standings] = await Promise.all([demoState(view, tally.memories), standingsOf(view, newest)])
    const isEmpty = tally.memories === 0
    return sendPage(view, {
      title: 'Overview',
      held: tally.held,
      health,
      actions: isEmpty ? null : <RangeChoice view={view} path="/" range={range} hasAll={false} />,
      children: (
        <div id="results" class="stack">
          {demo === 'loaded' ? <DemoNote /> : null}
          {isEmpty ? (
            <Welcome view={view} isDemoOffered={demo === 'offered'} />
          ) : (
            <Contents view={view} overview={overview} standings={standings} range={range} />
          )}
        </div>
      ),
    })
  },
}

interface ContentsProps {
  view: View
  overview: Overview
  standings: Standings
  range: number
}

function Contents({ view, overview, standings, range }: ContentsProps) {
  const { tally, fleet, newest, fading, attention } = overview
  const counted = fleet.counted < fleet.total ? `From the latest ${fleet.counted} of ${fleet.total} runs.` : undefined
  return (
    <>
      <Figures view={view} overview={overview} range={range} />
      <AttentionList view={view} attention={attention} />
      <div class="columns even">
        <Card title="Memories shown and used" note={counted}>
          <UsePlot fleet={fleet} count={range} />
        </Card>
        <Card title="Memories learned">
          <LearnedPlot tally={tally} count={range} />
        </Card>
      </div>
      <div class="columns wide-left">
        <div class="stack">
          <Newest view={view} newest={newest} standings={standings} />
          <FadesNext view={view} fading={fading.slice(0, FADING)} />
        </div>
        <div class="stack">
          <Card title="All memories">
            <GrowthPlot tally={tally} count={range} />
          </Card>
          <Tallies view={view} tally={tally} />
        </div>
      </div>
    </>
  )
}

function Newest({ view, newest, standings }: { view: View; newest: readonly Memory[]; standings: Standings }) {
  return (
    <Card title="Recently learned" more={<a href={href(view, '/memories')}>All memories</a>}>
      <ol class="entries">
        {newest.map((memory) => (
          <MemoryEntry view={view} memory={memory} standing={standings.get(memory.id)} at={memory.createdAt} />
        ))}
      </ol>
    </Card>
  )
}

function FadesNext({ view, fading }: { view: View; fading: readonly Fading[] }) {
  return (
    <Card
      title="Fading next"
      note="Agents will no longer be shown these, unless a run confirms or uses them."
      more={<a href={href(view, '/cooldowns')}>All that fade</a>}
    >
      <Entries
        none="No memory will be hidden from agents in the next 60 days."
        items={fading.map(({ memory, at }) => (
          <li>
            <MemoryLink view={view} memory={memory} clamp />
            <div class="about">
              <Confidence value={memory.confidence} />
              <span>
                hidden <Time at={at} />
              </span>
            </div>
          </li>
        ))}
      />
    </Card>
  )
}
