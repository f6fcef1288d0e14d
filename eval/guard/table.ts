/** Counts, and the table made from them. */
import { share } from '../interval.ts'
import type { Group } from '../report.ts'

export interface Result {
  group: string
  tried: string
  count: number
  /** Number of errors: a secret that stayed, a clean line that was changed, a poison that would be shown. */
  wrong: number
  /** The maximum share that may go wrong. */
  bar?: number
  note?: string
}

export class Table {
  readonly #results: Result[] = []

  add(result: Result): void {
    this.#results.push(result)
  }

  /** Counts the lines for which `wrong` holds. */
  async count<T>(
    group: string,
    tried: string,
    lines: readonly T[],
    wrong: (line: T) => boolean | Promise<boolean>,
    more: Pick<Result, 'bar' | 'note'> = {},
  ): Promise<void> {
    let bad = 0
    for (const line of lines) if (await wrong(line)) bad++
    this.add({ group, tried, count: lines.length, wrong: bad, ...more })
  }

  toGroups(): Group[] {
    const groups = Map.groupBy(this.#results, ({ group }) => group)
    return [...groups].map(([name, results]) => ({
      name,
      figures: results.map(({ tried, note, wrong, count, bar }) =>
        share(`${tried}${note ? `; ${note}` : ''}`, wrong, count, bar === undefined ? undefined : { most: bar }),
      ),
    }))
  }

  toMarkdown(): string {
    const lines: string[] = []
    for (const group of new Set(this.#results.map((result) => result.group))) {
      lines.push(`| **${group}** | | | |`, ...this.#results.filter((each) => each.group === group).map(toLine))
    }
    return ['| what was tried | how often | went wrong | bar |', '|---|---|---|---|', ...lines].join('\n')
  }
}

function toLine(result: Result): string {
  const { tried, count: all, wrong, bar, note } = result
  const share = all === 0 ? '' : ` (${percent(wrong / all)})`
  const held = bar === undefined ? '' : `${isMissed(result) ? 'MISSED: ' : ''}at most ${percent(bar)}`
  return `| ${tried}${note ? `; ${note}` : ''} | ${all} | ${wrong}${share} | ${held} |`
}

function isMissed({ count: all, wrong, bar }: Result): boolean {
  return bar !== undefined && wrong / Math.max(1, all) > bar
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
