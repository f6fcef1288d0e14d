import type { Plan } from '../migrate/dry-run.ts'
import type { Kind } from '../migrate/kinds.ts'
import type { Migration } from '../migrate/migrate.ts'
import { countOf, paint, printLine, write } from './output.ts'
import { type Column, formatTable } from './table.ts'

const MOST_SHOWN = 10
const number = (value: number) => value.toLocaleString('en')

type Row<Value> = [kind: string, value: Value]

const KIND = { title: 'KIND', value: ([kind]: Row<unknown>) => kind }

export async function printPlan({ kinds, obstacles }: Plan): Promise<void> {
  type Counts = Plan['kinds'][Kind]
  const columns: Column<Row<Counts>>[] = [
    KIND,
    { title: 'SOURCE', value: ([, { source }]) => number(source), align: 'right' },
    { title: 'TARGET', value: ([, { target }]) => number(target), align: 'right' },
    { title: 'TO MOVE', value: ([, { toMove }]) => number(toMove), align: 'right' },
  ]
  await write(formatTable(Object.entries(kinds), columns))
  for (const { message, hint } of obstacles) {
    await printLine([paint('red', 'Obstacle:'), message, hint].filter(Boolean).join(' '))
  }
  if (obstacles.length === 0) await printLine('No obstacles. Nothing was written.')
}

export async function printMigration({ verified, settled, kinds, refused, ...rest }: Migration): Promise<void> {
  type Report = Migration['kinds'][Kind]
  const columns: Column<Row<Report>>[] = [
    KIND,
    { title: 'SOURCE', value: ([, { source }]) => number(source), align: 'right' },
    { title: 'TARGET', value: ([, { target }]) => number(target), align: 'right' },
    {
      title: 'CHECKSUM',
      value: ([, { checksum, targetChecksum, same }]) => (same ? checksum : `${checksum} is not ${targetChecksum}`),
      style: ([, { same }]) => (same ? null : 'red'),
    },
  ]
  await write(formatTable(Object.entries(kinds), columns))
  for (const [kind, { newer, onlyInTarget, differing, differingCount }] of Object.entries(kinds)) {
    if (newer > 0) await printLine(`${kind}: ${number(newer)} are newer in the target, and were not changed there.`)
    if (onlyInTarget > 0) await printLine(`${kind}: ${number(onlyInTarget)} exist only in the target.`)
    if (differingCount === 0) continue
    await printLine(paint('red', `${kind}: ${number(differingCount)} differ, and were not changed in the target:`))
    for (const key of differing.slice(0, MOST_SHOWN)) await printLine(`  ${key}`)
  }
  if (refused.length > 0) {
    await printLine(paint('red', `The target does not accept ${countOf(refused.length, 'record', 'records')}:`))
    for (const { record, reason } of refused.slice(0, MOST_SHOWN)) await printLine(`  ${record}: ${reason}`)
  }
  await printLine(lastWords({ verified, settled, written: rest.written }))
}

function lastWords({ verified, settled, written }: Pick<Migration, 'verified' | 'settled' | 'written'>): string {
  if (!settled)
    return paint('red', 'The source is still being written to. Stop its writers, or wait, and run this again.')
  if (!verified) return paint('red', 'Not everything from the source is in the target: see above.')
  const moved = written === 0 ? 'Nothing was left to move.' : 'Moved.'
  return `${paint('green', moved)} Everything from the source is in the target, by count and checksum.`
}
