import { ACTIVE_CONFIDENCE, DECAY } from '../../model/memory.ts'
import { countMemories, formatBytes } from './format.ts'
import type { HeldBack } from './held-back.ts'
import { sendPage } from './layout.tsx'
import { fadingNext, heldBack } from './overview/read-overview.ts'
import type { Page } from './pages.ts'
import { Card, Entries } from './parts/blocks.tsx'
import { Category, Chip, Confidence, MemoryLink, Service, Time } from './parts/memory-parts.tsx'
import { Stored } from './parts/stored.tsx'
import type { View } from './view.ts'

const ROWS = 100

export const cooldownPage: Page = {
  path: '/cooldowns',
  summary: 'What is held back now, and until when.',
  async handle(view) {
    const [fading, held] = await Promise.all([fadingNext(view, ROWS), heldBack(view)])
    return sendPage(view, {
      title: 'Cooldowns',
      lead: 'What is held back now, and until when.',
      children: (
        <div id="results" class="stack">
          <div class="columns even">
            <Providers held={held} />
            <Spool held={held} />
          </div>
          <Fading view={view} fading={fading} />
        </div>
      ),
    })
  },
}

function Providers({ held }: { held: HeldBack | null }) {
  return (
    <Card title="Providers backing off">
      <Entries
        none="None: the store and the embedding model respond normally."
        items={(held?.providers ?? []).map(({ name, code, until }) => (
          <li>
            <b>{name}</b> <Chip text={code} kind="warn" />
            <div class="about">
              tried again <Time at={until} />
            </div>
          </li>
        ))}
      />
    </Card>
  )
}

function Spool({ held }: { held: HeldBack | null }) {
  return (
    <Card
      title="Pending writes"
      note="What runs could not store is kept in files on this machine and delivered automatically."
    >
      <Entries
        none={held === null ? 'Only an admin can see them.' : 'None.'}
        items={(held?.spool ?? []).map(({ file, bytes, since, state }) => (
          <li>
            <Stored class="mono" text={file} />
            <div class="about">
              <Chip text={state} kind={state === 'set aside' ? 'bad' : ''} /> {formatBytes(bytes)} since{' '}
              <Time at={since} />
            </div>
          </li>
        ))}
      />
    </Card>
  )
}

function Fading({ view, fading }: { view: View; fading: Awaited<ReturnType<typeof fadingNext>> }) {
  const note = `After ${DECAY.graceDays} days without a run that confirms it, a memory loses ${DECAY.step} of its confidence each week. Below ${ACTIVE_CONFIDENCE} it is hidden from agents.`
  const all = fading.length === ROWS ? `The next ${ROWS} memories` : countMemories(fading.length)
  const summary = fading.length === 0 ? 'No memory will be hidden from agents in the next 60 days.' : all
  return (
    <Card title="Memories about to fade" note={note}>
      <p class="summary">{summary}</p>
      <ol class="entries" data-rows>
        {fading.map(({ memory, at }) => (
          <li tabindex={-1}>
            <MemoryLink view={view} memory={memory} clamp />
            <div class="about">
              <Service name={memory.service} />
              <Category name={memory.category} />
              <Confidence value={memory.confidence} />{' '}
              <span>
                fades <Time at={at} />
              </span>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
