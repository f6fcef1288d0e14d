/** Counts secrets that stay, and clean lines that are changed. */
import { redactSecrets } from '../../src/guard/redact-secrets.ts'
import type { Labelled } from './labelled.ts'
import { fill, type Half, type Line, readSet, survives } from './sets.ts'
import type { Table } from './table.ts'
import { isWellFormedKey } from './well-formed.ts'

/** The same lines with other values, to catch rare values. */
const ROUNDS = 20
const times = `each with ${ROUNDS} random values`
const STAYS = 'Secrets that stay'
const TOUCHED = 'Clean lines touched'

const half = (lines: readonly Line[], which: Half) => lines.filter((line) => line.half === which)
const repeated = (lines: readonly Line[]) => Array.from({ length: ROUNDS }, () => lines).flat()

function stays(line: Line): boolean {
  const { text, secrets } = fill(line)
  const redacted = redactSecrets(text).text
  return secrets.some((secret) => survives(secret, redacted))
}

const isTouched = (line: Line): boolean => redactSecrets(fill(line).text).found.length > 0

export async function measureOwnSecrets(table: Table): Promise<void> {
  const measure = async (
    group: string,
    set: 'secrets' | 'clean',
    wrong: (line: Line) => boolean,
    bar: number,
    second: string,
  ) => {
    const count = (tried: string, lines: readonly Line[], more = {}) =>
      table.count(group, `${tried}, ${times}`, repeated(lines), wrong, more)
    const own = readSet(set)
    await count('our own, open half', half(own, 'open'), { bar })
    await count('our own, half never tuned on', half(own, 'held'), { bar })
    await count(`second set, ${second}`, readSet(`later-${set}`))
    const third = readSet(`forms-${set}`)
    await count('third set, other forms and languages, open half', half(third, 'open'))
    await count('third set, half never looked at', half(third, 'held'))
    const strange = readSet(`strange-${set}`)
    await count('fourth set, by a writer who did not know the rules, open half', half(strange, 'open'), { bar })
    await count('fourth set, half never looked at', half(strange, 'held'), { bar })
    const fresh = readSet(`fresh-${set}`)
    const atFirst = set === 'secrets' ? '5.9 % stayed' : '2.0 % were touched'
    await count(`fifth set, before any rule was read, open half (${atFirst} at first)`, half(fresh, 'open'), { bar })
    await count('fifth set, half only counted', half(fresh, 'held'), { bar })
  }
  await measure(STAYS, 'secrets', stays, 0.02, 'later tuned on (4.7 % stayed at first)')
  await measure(TOUCHED, 'clean', isTouched, 0.01, 'never tuned on')
}

/** Addresses are labelled as secrets by one source and are kept by decision; they are counted apart. */
export async function measureLabelledSecrets(table: Table, rows: readonly Labelled[]): Promise<void> {
  const hit = ({ text }: Labelled): boolean => redactSecrets(text).found.length > 0
  const isAddress = ({ rule }: Labelled): boolean => rule === 'ip_public'
  for (const source of new Set(rows.map((row) => row.source))) {
    const secrets = rows.filter((row) => row.source === source && row.label === 1 && !isAddress(row))
    const bar = source === 'kingfisher' ? 0.08 : 0.03
    await table.count(STAYS, `lines of ${source}`, secrets, (row) => !hit(row), { bar })
  }
  const clean = rows.filter((row) => row.label === 0)
  const plain = clean.filter((row) => !isWellFormedKey(row.text))
  const keys = clean.filter((row) => !plain.includes(row))
  const addresses = rows.filter((row) => isAddress(row) && row.label === 1)
  await table.count(TOUCHED, 'lines of all three, without well-formed keys', plain, hit, { bar: 0.03 })
  await table.count(TOUCHED, 'well-formed keys among them, taken on purpose', keys, hit)
  await table.count(TOUCHED, 'public addresses, kept by decision', addresses, hit)
}

export async function measureCleanNotes(table: Table, notes: readonly string[]): Promise<void> {
  const touched = (text: string) => redactSecrets(text).found.length > 0
  await table.count(TOUCHED, 'notes by other writers, seen while tuning', notes, touched, { bar: 0.01 })
}
