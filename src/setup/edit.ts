import type { ConfigFile } from './clients.ts'
import type { Entry } from './entry.ts'
import * as jsonc from './jsonc.ts'
import * as toml from './toml.ts'

type Format = ConfigFile['format']
const FORMATS = { jsonc, toml }
const MARK = '\uFEFF'

/** Whether a text has all entries, or something else in their place. */
export function hasAll(text: string | null, format: Format, entries: readonly Entry[]): boolean {
  const [, body] = split(text, format)
  return text !== null && entries.every((entry) => FORMATS[format].statusOf(body, entry) !== 'missing')
}

/** The text with missing entries added. Existing entries stay. */
export function withEntries(text: string | null, format: Format, entries: readonly Entry[]): string {
  const [mark, body] = split(text, format)
  const { statusOf, put } = FORMATS[format]
  return (
    mark + entries.reduce((found, entry) => (statusOf(found, entry) === 'missing' ? put(found, entry) : found), body)
  )
}

/** The text without the entries that `base`, the file before setup, did not have. Null if nothing remains of a file created by setup. */
export function withoutEntries(
  text: string,
  format: Format,
  entries: readonly Entry[],
  base: string | null,
): string | null {
  const [mark, body] = split(text, format)
  const [, before] = split(base, format)
  const { statusOf, depthOf, remove, remainder } = FORMATS[format]
  const own = entries.filter((entry) => statusOf(before, entry) === 'missing')
  const frame = own.filter(({ isFrame }) => isFrame).map(({ at }) => at[0])
  const without = own
    .filter(({ isFrame }) => !isFrame)
    .reduce((found, entry) => remove(found, entry, depthOf(before, entry.at)), body)
  const isEmpty = base === null && remainder(without).every((name) => frame.includes(name))
  return isEmpty ? null : mark + without
}

function split(text: string | null, format: Format): [mark: string, body: string] {
  const whole = text ?? ''
  const mark = whole.startsWith(MARK) ? MARK : ''
  const body = whole.slice(mark.length)
  return [mark, FORMATS[format].withRoot(body)]
}
