import { createRequire } from 'node:module'
import { escapeJson } from '../text/unseen.ts'

/** Facts first, then a fixed sentence. Never memory content at info level or above. */
export type LogMethod = (facts: Record<string, unknown>, message: string) => void
export interface Logger {
  debug: LogMethod
  info: LogMethod
  warn: LogMethod
  error: LogMethod
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Structured logs, one JSON object per line. `write` takes each line; without it lines go to standard error. The logging
 * library is loaded with the first line.
 */
export function createLogger(level: LogLevel, write?: (line: string) => void): Logger {
  let backend: Logger | null = null
  const threshold = LOG_LEVELS.indexOf(level)
  const method =
    (name: keyof Logger): LogMethod =>
    (facts, message) => {
      if (LOG_LEVELS.indexOf(name) < threshold) return
      backend ??= openBackend(level, write)
      backend[name](facts, message)
    }
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') }
}

function openBackend(level: LogLevel, write: ((line: string) => void) | undefined): Logger {
  const pino = createRequire(import.meta.url)('pino') as typeof import('pino').default
  const standardError = write === undefined ? pino.destination({ dest: 2, sync: true }) : { write }
  // JSON leaves some characters unescaped that control a terminal.
  const destination = { write: (line: string) => void standardError.write(escapeJson(line)) }
  return pino({ level, base: { name: 'nokosu' } }, destination)
}
