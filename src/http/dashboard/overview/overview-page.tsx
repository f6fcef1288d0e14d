import { visibleUntil } from '../../../lifecycle/decay.ts'
import type { Memory } from '../../../model/memory.ts'
import type { Tally } from '../../../storage/tally.ts'
import { DemoNote } from '../demo/demo-card.tsx'
import { countRemoved, demoState } from '../demo/demo-data.ts'
import { formatBytes, formatCount } from '../format.ts'
import type { HeldBack } from '../held-back.ts'
import { sendPage } from '../layout.tsx'
import { serviceParameter } from '../memories/filters.ts'
import type { Page } from '../pages.ts'
import { Card, Entries } from '../parts/blocks.tsx'
import { Bar, Category, Confidence, isShown, MemoryLink, Service, State, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { DAY_MS, tallyOf } from '../tally.ts'
import { href, type View } from '../view.ts'
import { everyDay, GrowthPlot, WeekPlot } from './plots.tsx'
import { Welcome } from './welcome.tsx'

const NEWEST = 8
const FADING = 5
const MOST_RANKS = 8
/** Days ahead in which what fades is worth a look. */
const AHEAD = 60

interface Fading {
  memory: Memory
  at: string
}

export const overviewPage: Page = {
  path: '/',
  summary: 'The first page.',
  async handle(view) {
    const [tally, newest, fading, store, health, held] = await Promise.all([
      tallyOf(view),
      view.own.list({ limit: NEWEST, includeInactive: true }),
      fadingNext(view, FADING),
      storeOf(view),
      view.parts.memory.healthCheck(),
      heldBack(view),
    ])
    const demo = await demoState(view, tally.memories)
    return sendPage(view, {
      title: 'Overview',
      held: tally.held,
      health,
      children: (
        <div id="results">
          <Waiting view={view} held={held} />
          {tally.memories === 0 ? (
            <Welcome view={view} isDemoOffered={demo === 'offered'} />
          ) : (
            <>
              {demo === 'loaded' ? <DemoNote /> : null}
              <Figures view={view} tally={tally} store={store} />
              <div class="columns wide-left">
                <div class="stack">
                  <Card title="Growth">
                    <GrowthPlot tally={tally} />
                  </Card>
                  <Newest view={view} newest={newest.memories} />
                </div>
                <div class="stack">
                  <Card title="This week">
                    <WeekPlot days={everyDay(tally, 7)} />
                  </Card>
                  <Tallies view={view} tally={tally} />
                  <FadesNext view={view} fading={fading} />
                </div>
              </div>
            </>
          )}
        </div>
      ),
    })
  },
}

/** The machine’s own affairs are for callers who may see the whole store. */
export async function heldBack({ access, parts }: View): Promise<HeldBack | null> {
  return access.may('admin') && parts.heldBack ? parts.heldBack() : null
}

/** Memories that are missing from these pages, because no store has taken them yet. */
function Waiting({ view, held }: { view: View; held: HeldBack | null }) {
  const files = (held?.spool ?? []).filter(({ state }) => state === 'waits' || state === 'set aside').length
  if (files === 0) return null
  return (
    <section class="card heading">
      <p>
        {files === 1 ? 'One run has' : `${formatCount(files)} runs have`} writes that are not stored yet.{' '}
        <a href={href(view, '/cooldowns')}>Pending writes</a>
      </p>
    </section>
  )
}

export async function fadingNext({ own, parts }: View, limit: number): Promise<Fading[]> {
  const { memories } = await own.list({ limit, sort: 'fading' })
  const { decay } = parts.memory.settings
  const until = new Date(Date.now() + AHEAD * DAY_MS).toISOString()
  return memories.map((memory) => ({ memory, at: visibleUntil(memory, decay) })).filter(({ at }) => at < until)
}

type StoreFigures = { sessions: number; sizeBytes: number | null } | null

/** Figures of the whole store; null for a caller who sees a part of it. */
async function storeOf({ access, project, parts }: View): Promise<StoreFigures> {
  if (project !== null || !access.may('admin')) return null
  const [{ sessions, sizeBytes }, removed] = await Promise.all([parts.memory.stats(), countRemoved(access.own())])
  return { sessions: sessions - removed, sizeBytes }
}

function Figures({ view, tally, store }: { view: View; tally: Tally; store: StoreFigures }) {
  const week = everyDay(tally, 7).reduce((sum, { learned }) => sum + learned, 0)
  const figures: [name: string, value: string, remark: string, to: string | null][] = [
    ['Memories', formatCount(tally.memories), `${formatCount(tally.visible)} shown to agents`, '/memories'],
    ['Learned this week', formatCount(week), 'the newest below', null],
    ['Held for review', formatCount(tally.held), tally.held === 0 ? 'none' : 'decide on them', '/review'],
  ]
  if (store !== null) {
    const size = store.sizeBytes === null ? '–' : formatBytes(store.sizeBytes)
    const remark = store.sessions === 0 ? 'no agent has run yet' : 'runs of agents'
    figures.push(['Sessions', formatCount(store.sessions), remark, '/sessions'])
    figures.push(['Size', size, 'with vectors and history', '/cooldowns'])
  }
  return (
    <dl class="figures">
      {figures.map(([name, value, remark, to]) => (
        <div class="card figure">
          <dt>{name}</dt>
          <dd>{to === null ? value : <a href={href(view, to)}>{value}</a>}</dd>
          <dd class="remark">{remark}</dd>
        </div>
      ))}
    </dl>
  )
}

function Newest({ view, newest }: { view: View; newest: readonly Memory[] }) {
  return (
    <Card title="Recent captures">
      <ol class="entries">
        {newest.map((memory) => (
          <li class={isShown(memory) ? undefined : 'faded'}>
            <MemoryLink view={view} memory={memory} clamp />
            <div class="about">
              <Category name={memory.category} />
              <Service name={memory.service} />
              <Confidence value={memory.confidence} active={memory.active} />
              <State memory={memory} />
              <Time at={memory.createdAt} />
            </div>
          </li>
        ))}
      </ol>
      <p class="more">
        <a href={href(view, '/memories')}>All memories</a>
      </p>
    </Card>
  )
}

function Tallies({ view, tally }: { view: View; tally: Tally }) {
  const categories = tally.categories.map(({ category, memories }) => ({
    name: category.replace('_', ' '),
    memories,
    to: href(view, '/memories', { category }),
  }))
  const services = tally.services.map(({ service, memories }) => ({
    name: service ?? 'general (no service)',
    memories,
    to: href(view, '/memories', { service: serviceParameter(service) }),
  }))
  return (
    <>
      <Ranks title="By category" rows={categories} />
      <Ranks title="By service" rows={services} />
    </>
  )
}

function Ranks({ title, rows }: { title: string; rows: readonly { name: string; memories: number; to: string }[] }) {
  const sorted = [...rows].sort((a, b) => b.memories - a.memories).slice(0, MOST_RANKS)
  const most = Math.max(1, ...sorted.map(({ memories }) => memories))
  return (
    <Card title={title}>
      <ul class="ranks">
        {sorted.map(({ name, memories, to }) => (
          <li>
            <a href={to}>
              <Stored text={name} />
            </a>
            <span class="soft">{formatCount(memories)}</span>
            <Bar part={memories / most} width="100%" />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function FadesNext({ view, fading }: { view: View; fading: readonly Fading[] }) {
  return (
    <Card title="Fades next" note="Unless a run confirms them, agents will no longer be shown these.">
      <Entries
        none="Nothing fades in the next weeks."
        items={fading.map(({ memory, at }) => (
          <li>
            <MemoryLink view={view} memory={memory} clamp />
            <div class="about">
              <Confidence value={memory.confidence} /> <Time at={at} />
            </div>
          </li>
        ))}
      />
      <p class="more">
        <a href={href(view, '/cooldowns')}>All that is held back or about to fade</a>
      </p>
    </Card>
  )
}
