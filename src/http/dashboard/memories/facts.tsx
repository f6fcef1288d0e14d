import type { Child } from 'hono/jsx'
import { withoutBelief } from '../../../lifecycle/decisions.ts'
import { REQUIRED_IDENTIFIER } from '../../../model/layer.ts'
import type { Memory } from '../../../model/memory.ts'
import { Card, Fields } from '../parts/blocks.tsx'
import { Chip, Time } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { sessionPath, type View } from '../view.ts'

const TRUSTS: Record<Memory['trust'], string> = {
  operator: 'from an operator',
  agent: 'from an agent',
  corroborated: 'confirmed by several runs',
  flagged: 'unverified: the guard marked it',
  quarantined: 'held back until an operator decides',
}

export function Facts({ view, memory, author }: { view: View; memory: Memory; author: string | null }) {
  const { identifiers, layer, session, expiresAt, thread, anchor, tags, recallCount } = memory
  const own = withoutBelief(memory.metadata)
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]] ?? ''
  const others = Object.entries(identifiers).filter(([name]) => name !== REQUIRED_IDENTIFIER[layer])
  return (
    <Card title="Where it comes from">
      <Fields
        rows={[
          [
            'Belongs to',
            <>
              {layer}{' '}
              <b>
                <Stored text={owner} />
              </b>
            </>,
          ],
          ...others.map(([name, value]): [string, Child] => [nameOf(name), <Stored text={value} />]),
          [
            'Recorded by',
            session === null ? (
              'a person or a program'
            ) : (
              <>
                {author === null ? null : (
                  <>
                    <Stored text={author} /> in{' '}
                  </>
                )}
                <a href={sessionPath(view, session)} title={session}>
                  {author === null ? <Stored text={session} /> : 'this run'}
                </a>
              </>
            ),
          ],
          typeof own.author === 'string' ? ['Subagent', <Stored text={own.author} />] : null,
          ['Source', `${memory.source}${memory.tier === 0 ? '' : `, tier ${memory.tier}`}`],
          ['Trust', TRUSTS[memory.trust]],
          ['Importance', `${memory.importance} of 100`],
          ['Recalled', recallCount === 0 ? 'never' : <Recalled memory={memory} />],
          ['Created', <Time at={memory.createdAt} />],
          ['Updated', <Time at={memory.updatedAt} />],
          expiresAt === null ? null : ['Expires', <Time at={expiresAt} />],
          thread === null ? null : ['Thread', <Stored text={`${thread.id}, place ${thread.index}`} />],
          anchor === null ? null : ['Anchor', <Stored class="mono" text={anchor} />],
          tags.length === 0 ? null : ['Tags', <Tags tags={tags} />],
          Object.keys(own).length === 0 ? null : ['Metadata', <Metadata metadata={own} />],
          ['Id', <span class="mono">{memory.id}</span>],
        ]}
      />
    </Card>
  )
}

/** `Agent` of `agentId`. */
function nameOf(identifier: string): string {
  return identifier[0]!.toUpperCase() + identifier.slice(1).replace(/Id$/, '')
}

function Recalled({ memory: { recallCount, lastRecalledAt, updatedAt } }: { memory: Memory }) {
  return (
    <>
      {recallCount === 1 ? 'once' : `${recallCount} times, last`} <Time at={lastRecalledAt ?? updatedAt} />
    </>
  )
}

function Tags({ tags }: Pick<Memory, 'tags'>) {
  return (
    <span class="traits">
      {tags.map((tag) => (
        <Chip text={tag} />
      ))}
    </span>
  )
}

function Metadata({ metadata }: Pick<Memory, 'metadata'>) {
  return (
    <pre class="mono">
      <Stored text={JSON.stringify(metadata, null, 2)} />
    </pre>
  )
}
