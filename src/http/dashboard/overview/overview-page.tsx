import type { Memory } from '../../../model/memory.ts'
import type { Tally } from '../../../storage/tally.ts'
import { Demo } from '../demo/demo-card.tsx'
import { formatBytes, formatCount } from '../format.ts'
import { serviceParameter } from '../memories/filters.ts'
import { Bar, Category, Confidence, isShown, Service, State, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'
import { everyDay, GrowthPlot, WeekPlot } from './plots.tsx'
import { Welcome } from './welcome.tsx'

export interface Overview {
  view: View
  tally: Tally
  /** Of the whole store; null for a caller who sees a part of it. */
  store: { sessions: number; sizeBytes: number | null; path: string } | null
  newest: readonly Memory[]
  fading: readonly { memory: Memory; at: string }[]
  demo: 'loaded' | 'offered' | null
}

const MOST_RANKS = 8

export function OverviewPage(props: Overview) {
  const { view, tally } = props
  return (
    <>
      <div class="heading">
        <h1>Overview</h1>
      </div>
      <div id="results">
        {tally.memories === 0 ? (
          <Welcome view={view} isDemoOffered={props.demo === 'offered'} />
        ) : (
          <>
            {props.demo === 'loaded' ? <Demo view={view} state="loaded" /> : null}
            <Figures {...props} />
            <div class="columns wide-left">
              <div class="stack">
                <section class="card">
                  <h2>Growth</h2>
                  <GrowthPlot tally={tally} now={view.now} />
                </section>
                <Newest {...props} />
              </div>
              <div class="stack">
                <section class="card">
                  <h2>This week</h2>
                  <WeekPlot days={everyDay(tally, view.now, 7)} />
                </section>
                <Ranks
                  title="By category"
                  rows={tally.categories.map(({ category, memories }) => ({
                    name: category.replace('_', ' '),
                    memories,
                    href: href(view, '/memories', { category }),
                  }))}
                />
                <Ranks
                  title="By service"
                  rows={tally.services.map(({ service, memories }) => ({
                    name: service ?? 'general (no service)',
                    memories,
                    href: href(view, '/memories', { service: serviceParameter(service) }),
                  }))}
                />
                <Fading {...props} />
              </div>
            </div>
          </>
        )}
      </div>
    </>
  )
}

function Figures({ view, tally, store }: Overview) {
  const week = everyDay(tally, view.now, 7).reduce((sum, { learned }) => sum + learned, 0)
  const figures: [name: string, value: string, remark: string, to: string][] = [
    ['Memories', formatCount(tally.memories), `${formatCount(tally.visible)} shown to agents`, '/memories'],
    ['Learned this week', formatCount(week), 'the newest below', '/memories?sort=newest'],
    ['Held for review', formatCount(tally.held), tally.held === 0 ? 'nothing waits' : 'decide on them', '/review'],
    ...(store === null
      ? []
      : ([
          [
            'Sessions',
            formatCount(store.sessions),
            store.sessions === 0 ? 'no agent has run yet' : 'runs of agents',
            '/sessions',
          ],
          [
            'Size',
            store.sizeBytes === null ? '–' : formatBytes(store.sizeBytes),
            'with vectors and history',
            '/cooldowns',
          ],
        ] satisfies [string, string, string, string][])),
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value, remark, to]) => (
        <div class="figure">
          <dt>{name}</dt>
          <dd>{to.includes('?') ? value : <a href={href(view, to)}>{value}</a>}</dd>
          <dd class="remark">{remark}</dd>
        </div>
      ))}
    </dl>
  )
}

function Newest({ view, newest }: Overview) {
  return (
    <section class="card">
      <h2>Recent captures</h2>
      <ol class="entries">
        {newest.map((memory) => (
          <li class={isShown(memory, view.now) ? undefined : 'faded'}>
            <a href={href(view, `/memories/${encodeURIComponent(memory.id)}`)}>
              <Stored class="clamp" text={memory.content} />
            </a>
            <div class="about">
              <Category name={memory.category} />
              <Service name={memory.service} />
              <Confidence value={memory.confidence} active={memory.active} />
              <State memory={memory} now={view.now} />
              <Time at={memory.createdAt} now={view.now} />
            </div>
          </li>
        ))}
      </ol>
      <p class="more">
        <a href={href(view, '/memories')}>All memories</a>
      </p>
    </section>
  )
}

function Ranks({ title, rows }: { title: string; rows: readonly { name: string; memories: number; href: string }[] }) {
  const sorted = [...rows].sort((a, b) => b.memories - a.memories).slice(0, MOST_RANKS)
  const most = Math.max(1, ...sorted.map(({ memories }) => memories))
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="ranks">
        {sorted.map(({ name, memories, href: to }) => (
          <li>
            <a href={to}>
              <Stored text={name} />
            </a>
            <span class="count">{formatCount(memories)}</span>
            <Bar part={memories / most} width="100%" />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Fading({ view, fading }: Overview) {
  return (
    <section class="card">
      <h2>Fades next</h2>
      <p class="note">Without a run that confirms them, agents are not shown these any more.</p>
      {fading.length === 0 ? (
        <p class="soft">Nothing fades in the next weeks.</p>
      ) : (
        <ul class="entries">
          {fading.map(({ memory, at }) => (
            <li>
              <a href={href(view, `/memories/${encodeURIComponent(memory.id)}`)}>
                <Stored class="clamp" text={memory.content} />
              </a>
              <div class="about">
                <Confidence value={memory.confidence} /> <Time at={at} now={view.now} />
              </div>
            </li>
          ))}
        </ul>
      )}
      <p class="more">
        <a href={href(view, '/cooldowns')}>All that is held back or about to fade</a>
      </p>
    </section>
  )
}
