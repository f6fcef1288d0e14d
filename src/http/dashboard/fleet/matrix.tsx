import type { Fleet } from '../../../engine/fleet.ts'
import { formatCount } from '../format.ts'
import { Stored } from '../parts/stored.tsx'

/** Agents that have a row and a column: those with the most memories. */
const MOST = 12
const SHADES = 5

/** Rows: the agent that learned it. Columns: the agent that was shown it. */
export function Matrix({ passed }: { passed: Fleet['passed'] }) {
  if (passed.length === 0) return <p class="soft">No run was shown a memory yet.</p>
  const from = busiest(passed, (each) => each.from)
  const to = busiest(passed, (each) => each.to)
  const most = Math.max(...passed.map(({ memories }) => memories))
  const cells = new Map(passed.map((each) => [JSON.stringify([each.from, each.to]), each]))
  return (
    <section class="scroll" tabindex={0} aria-label="Who read what others learned">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Learned by</th>
            {to.map((name) => (
              <th scope="col">
                <Stored text={name ?? 'unnamed'} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {from.map((author) => (
            <tr>
              <th scope="row">
                <Stored text={author ?? 'people'} />
              </th>
              {to.map((reader) => (
                <Cell cell={cells.get(JSON.stringify([author, reader]))} most={most} isSelf={author === reader} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface CellProps {
  cell: Fleet['passed'][number] | undefined
  most: number
  /** The agent read its own memories. */
  isSelf: boolean
}

function Cell({ cell, most, isSelf }: CellProps) {
  if (cell === undefined) return <td class="soft">–</td>
  const { memories, used } = cell
  const shade = Math.max(1, Math.ceil((memories / most) * SHADES))
  return (
    <td class={isSelf ? 'self' : `shade-${shade}`} title={`${memories} shown, ${used} of them used`}>
      {formatCount(memories)}
      {used === 0 ? null : <small>{formatCount(used)} used</small>}
    </td>
  )
}

function busiest(passed: Fleet['passed'], who: (each: Fleet['passed'][number]) => string | null): (string | null)[] {
  const counts = Map.groupBy(passed, who)
  const total = (name: string | null) => counts.get(name)!.reduce((sum, { memories }) => sum + memories, 0)
  return [...counts.keys()].sort((a, b) => total(b) - total(a)).slice(0, MOST)
}
