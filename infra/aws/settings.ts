import { MemoryError } from '../../src/model/errors.ts'
import type { NokosuStackProps } from './nokosu-stack.ts'

const SERVER = ['repository', 'tag', 'domainName', 'certificateArn'] as const
type ServerSettings = Record<(typeof SERVER)[number], string>

/** What is given with `-c name=value`. The server is made when any of its settings is given; then it needs them all. */
export function stackSettings(
  read: (name: string) => unknown,
): Pick<NokosuStackProps, 'prefix' | 'vectors' | 'server'> {
  const text = (name: string): string | undefined => {
    const value: unknown = read(name)
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
  }
  const [prefix, vectors] = [text('prefix'), text('vectors')]
  const store = { ...(prefix === undefined ? {} : { prefix }), ...(vectors === undefined ? {} : { vectors }) }
  const allowFrom = text('allowFrom')
  const given = SERVER.map((name) => [name, text(name)] as const)
  const missing = given.flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length === SERVER.length && allowFrom === undefined) return store
  if (missing.length > 0) {
    throw new MemoryError(
      'CONFIGURATION_ERROR',
      `The server needs ${missing.map((name) => `-c ${name}=...`).join(' ')} too.`,
      {
        details: { missing },
      },
    )
  }
  const server = { ...(Object.fromEntries(given) as ServerSettings), ...(allowFrom === undefined ? {} : { allowFrom }) }
  return { ...store, server }
}
