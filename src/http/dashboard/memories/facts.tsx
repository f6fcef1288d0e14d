import type { Child } from 'hono/jsx'
import { REQUIRED_IDENTIFIER } from '../../../model/layer.ts'
import type { Memory } from '../../../model/memory.ts'
import { Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

const TRUSTS: Record<Memory['trust'], string> = {
  operator: 'an operator’s word',
  agent: 'an agent’s word',
  corroborated: 'said by several runs',
  flagged: 'unverified: the guard marked it',
  quarantined: 'held back until an operator decides',
}

/** Where it came from and whose it is. */
export function Facts({ view, memory }: { view: View; memory: Memory }) {
  const { identifiers, layer, session, expiresAt, thread, anchor, tags, metadata } = memory
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]] ?? ''
  const others = Object.entries(identifiers).filter(([name]) => name !== REQUIRED_IDENTIFIER[layer])
  const facts: [name: string, value: Child][] = [
    [
      'Belongs to',
      <>
        {layer}{' '}
        <b>
          <Stored text={owner} />
        </b>
      </>,
    ],
    ...others.map(([name, value]): [string, Child] => [name.replace(/Id$/, ''), <Stored text={value} />]),
    [
      'Left by',
      session === null ? (
        'a person or a program'
      ) : (
        <a href={href(view, `/sessions/${encodeURIComponent(session)}`)}>
          <Stored text={session} />
        </a>
      ),
    ],
    [
      'Source',
      <>
        {memory.source}
        {memory.tier === 0 ? '' : `, tier ${memory.tier}`}
      </>,
    ],
    ['Trust', TRUSTS[memory.trust]],
    ['Importance', `${memory.importance} of 100`],
    [
      'Recalled',
      memory.recallCount === 0 ? (
        'never'
      ) : (
        <>
          {memory.recallCount === 1 ? 'once' : `${memory.recallCount} times, last`}{' '}
          <Time at={memory.lastRecalledAt ?? memory.updatedAt} now={view.now} />
        </>
      ),
    ],
    ['Created', <Time at={memory.createdAt} now={view.now} />],
    ['Updated', <Time at={memory.updatedAt} now={view.now} />],
    ...(expiresAt === null ? [] : [['Expires', <Time at={expiresAt} now={view.now} />] as [string, Child]]),
    ...(thread === null
      ? []
      : [
          [
            'Thread',
            <>
              <Stored text={thread.id} />, place {thread.index}
            </>,
          ] as [string, Child],
        ]),
    ...(anchor === null ? [] : [['Anchor', <Stored class="mono" text={anchor} />] as [string, Child]]),
    ...(tags.length === 0
      ? []
      : [
          [
            'Tags',
            <span class="traits">
              {tags.map((tag) => (
                <span class="chip">
                  <Stored text={tag} />
                </span>
              ))}
            </span>,
          ] as [string, Child],
        ]),
    ...(Object.keys(metadata).length === 0
      ? []
      : [
          [
            'Metadata',
            <pre class="mono">
              <Stored text={JSON.stringify(metadata, null, 2)} />
            </pre>,
          ] as [string, Child],
        ]),
    ['Id', <span class="mono">{memory.id}</span>],
  ]
  return (
    <section class="card">
      <h2>Where it comes from</h2>
      <dl class="fields">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  )
}
