import type { ToolResult } from './home-server.ts'

export type Turn = { say: string } | { command: string }

interface Beliefs {
  wireguardFirst: boolean
  /** Null: unknown. */
  jellyfinSeconds: number | null
}

const POLL_SECONDS = 30

/**
 * An agent without a model. It restarts three services, and only knows what its block of memories says. It records
 * its findings as markers.
 */
export function* restartServices(memory: string): Generator<Turn, void, ToolResult> {
  const { wireguardFirst, jellyfinSeconds } = readBeliefs(memory)
  yield { say: plan(wireguardFirst, jellyfinSeconds) }
  const learned: string[] = []
  if (wireguardFirst) yield { command: 'start wireguard' }
  const caddy = yield { command: 'start caddy' }
  if (!caddy.ok) {
    yield { say: 'That address belongs to WireGuard. I will start WireGuard first.' }
    yield { command: 'start wireguard' }
    yield { command: 'start caddy' }
    learned.push('[MEMORY:dependency:caddy] Must be started after WireGuard')
  }
  yield { command: 'start jellyfin' }
  learned.push(...(yield* awaitJellyfin(jellyfinSeconds)))
  yield { say: ['All three are up.', ...learned].join('\n') }
}

function* awaitJellyfin(expected: number | null): Generator<Turn, string[], ToolResult> {
  let seconds = expected ?? 0
  if (seconds > 0) yield { command: `wait ${seconds} s` }
  let check = yield { command: 'check jellyfin' }
  if (check.ok) return [`[MEMORY:timing:jellyfin] Needs about ${inWords(seconds)} to come up after a restart`]
  const learned: string[] = []
  if (expected !== null) {
    yield { say: `${expected} s were enough before. I will look into the log.` }
    const log = yield { command: 'read log' }
    learned.push(`[MEMORY:behavior:jellyfin] ${log.text.split('\n')[0]}`)
  }
  while (!check.ok) {
    seconds += POLL_SECONDS
    yield { command: `wait ${POLL_SECONDS} s` }
    check = yield { command: 'check jellyfin' }
  }
  return [`[MEMORY:timing:jellyfin] Takes ${seconds}s to start after a restart`, ...learned]
}

function plan(wireguardFirst: boolean, jellyfinSeconds: number | null): string {
  const known = [
    ...(wireguardFirst ? ['caddy after WireGuard'] : []),
    ...(jellyfinSeconds === null ? [] : [`${jellyfinSeconds} s for jellyfin`]),
  ]
  return known.length === 0
    ? 'I know nothing about these services. I will start them in order of name.'
    : `My memory says: ${known.join(', ')}.`
}

function inWords(seconds: number): string {
  return seconds === 60 ? 'a minute' : `${seconds} seconds`
}

/** Reads the operational block. If two memories disagree, the one with the higher confidence counts. */
function readBeliefs(memory: string): Beliefs {
  const beliefs: Beliefs = { wireguardFirst: false, jellyfinSeconds: null }
  let service = ''
  let surest = 0
  for (const line of memory.split('\n')) {
    service = /^### (\S+)/.exec(line)?.[1] ?? service
    const [, content = '', confidence] = /^- \[\w+\] (.+) \(confidence: ([\d.]+)\)$/.exec(line) ?? []
    if (service === 'caddy' && /after WireGuard/.test(content)) beliefs.wireguardFirst = true
    const seconds = service === 'jellyfin' ? /Takes (\d+)s to start/.exec(content)?.[1] : undefined
    if (seconds === undefined || Number(confidence) <= surest) continue
    surest = Number(confidence)
    beliefs.jellyfinSeconds = Number(seconds)
  }
  return beliefs
}
