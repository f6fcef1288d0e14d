/** One line of `nokosu doctor`. */
export interface Check {
  name: string
  status: 'ok' | 'warn' | 'fail'
  message: string
  /** How to fix it; null if nothing is wrong. */
  fix: string | null
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message, fix: null }
}

export function warn(name: string, message: string, fix: string): Check {
  return { name, status: 'warn', message, fix }
}

export function fail(name: string, message: string, fix: string): Check {
  return { name, status: 'fail', message, fix }
}
