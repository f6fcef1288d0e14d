import { paint, redrawLine, writeError } from './output.ts'
import { shell } from './shell.ts'

export interface Progress {
  /** `total` is null if unknown. */
  update(done: number, total: number | null): void
  end(): void
}

const BAR_WIDTH = 24
const REDRAW_MS = 80
/** Milliseconds between plain lines, which replace the bar in a log file. */
const LINE_MS = 5000

/** Shows progress on standard error: a bar on a terminal, otherwise a line every few seconds. Short work shows nothing. */
export function showProgress(label: string): Progress {
  const { stderr } = shell()
  const start = performance.now()
  let shownAt = start
  let drawn = false

  return {
    update(done, total) {
      if (total === 0) return
      const now = performance.now()
      const complete = total !== null && done >= total
      if (stderr.isTTY) {
        if (drawn && !complete && now - shownAt < REDRAW_MS) return
        redrawLine(`${label} ${bar(done, total)} ${count(done, total)}${remaining(start, now, done, total)}`)
        drawn = true
      } else {
        if (now - shownAt < LINE_MS) return
        writeError(`${label}: ${count(done, total)}\n`)
      }
      shownAt = now
    },
    end() {
      if (drawn) redrawLine('')
    },
  }
}

function bar(done: number, total: number | null): string {
  if (total === null || total === 0) return ''
  const filled = Math.round((BAR_WIDTH * Math.min(done, total)) / total)
  const empty = paint('dim', '░'.repeat(BAR_WIDTH - filled), shell().stderr)
  return `${paint('green', '█'.repeat(filled), shell().stderr)}${empty}`
}

function count(done: number, total: number | null): string {
  return total === null ? done.toLocaleString('en') : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
}

function remaining(start: number, now: number, done: number, total: number | null): string {
  const elapsed = now - start
  if (total === null || done === 0 || done >= total || elapsed < 1000) return ''
  const seconds = Math.ceil(((elapsed / done) * (total - done)) / 1000)
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.round(seconds / 60)} min left`
}
