import { ACTIVE_CONFIDENCE, DECAY } from '../../model/memory.ts'
import type { Route, ServerParts } from '../route.ts'
import { countOf, formatBytes } from './format.ts'
import type { HeldBack } from './held-back.ts'
import { sendPage } from './layout.tsx'
import { fadingNext } from './overview/routes.tsx'
import { pageRoute } from './page-route.ts'
import { Empty } from './parts/empty.tsx'
import { Category, Confidence, Service, Time } from './parts/memory-parts.tsx'
import { Stored } from './parts/stored.tsx'
import { href, type View } from './view.ts'

const ROWS = 100

/** What is held back now, and until when. */
export function cooldownRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/cooldowns',
      summary: 'What is held back now, and until when.',
      async handle(view) {
        const [fading, held] = await Promise.all([fadingNext(view, ROWS), heldBack(view)])
        return sendPage(view, {
          title: 'Cooldowns',
          current: '/cooldowns',
          children: (
            <>
              <div class="heading">
                <h1>Cooldowns</h1>
              </div>
              <p class="lead">What is held back now, and until when.</p>
              <div id="results" class="stack">
                <div class="columns">
                  <Providers view={view} held={held} />
                  <Spool held={held} view={view} />
                </div>
                <Fading view={view} fading={fading} />
              </div>
            </>
          ),
        })
      },
    }),
  ]
}

/** The machine’s own affairs are for whoever may see the whole store. */
async function heldBack({ access, parts }: View): Promise<HeldBack | null> {
  return access.may('admin') && parts.heldBack ? parts.heldBack() : null
}

function Providers({ view, held }: { view: View; held: HeldBack | null }) {
  const waiting = held?.providers ?? []
  return (
    <section class="card">
      <h2>Providers backing off</h2>
      {waiting.length === 0 ? (
        <p class="soft">None: the store and the embedding model answer at once.</p>
      ) : (
        <ul class="entries">
          {waiting.map(({ name, code, until }) => (
            <li>
              <b>{name}</b> <span class="chip warn">{code}</span>
              <div class="about">
                tried again <Time at={until} now={view.now} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Spool({ view, held }: { view: View; held: HeldBack | null }) {
  const files = held?.spool ?? []
  return (
    <section class="card">
      <h2>Writes that wait</h2>
      <p class="note">What runs could not store waits in files on this machine, and is delivered by itself.</p>
      {held === null ? (
        <p class="soft">Nothing is known of it here.</p>
      ) : files.length === 0 ? (
        <p class="soft">None waits.</p>
      ) : (
        <ul class="entries">
          {files.map(({ file, bytes, since, state }) => (
            <li>
              <Stored class="mono" text={file} />
              <div class="about">
                <span class={state === 'set aside' ? 'chip bad' : 'chip'}>{state}</span> {formatBytes(bytes)} since{' '}
                <Time at={since} now={view.now} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Fading({ view, fading }: { view: View; fading: Awaited<ReturnType<typeof fadingNext>> }) {
  return (
    <section>
      <div class="card">
        <h2>Memories about to fade</h2>
        <p class="note">
          After {DECAY.graceDays} days without a run that confirms it, a memory loses {DECAY.step} of its confidence
          each week. Below {ACTIVE_CONFIDENCE} no agent is shown it.
        </p>
        {fading.length === 0 ? (
          <Empty icon="cooldowns" title="Nothing fades soon">
            <p>No memory leaves the sight of agents in the next 60 days.</p>
          </Empty>
        ) : (
          <>
            <p class="summary">
              {fading.length === ROWS ? `The next ${ROWS} memories` : countOf(fading.length, 'memory', 'memories')}
            </p>
            <ol class="entries" data-rows>
              {fading.map(({ memory, at }) => (
                <li tabindex={-1}>
                  <a data-key="open" href={href(view, `/memories/${encodeURIComponent(memory.id)}`)}>
                    <Stored class="clamp" text={memory.content} />
                  </a>
                  <div class="about">
                    <Category name={memory.category} />
                    <Service name={memory.service} />
                    <Confidence value={memory.confidence} /> <span>fades</span> <Time at={at} now={view.now} />
                  </div>
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </section>
  )
}
