import { ulid } from 'ulidx'
import type { EmbeddingProvider } from '../../embedding/provider.ts'
import { MemoryError } from '../../model/errors.ts'
import type { Identifiers } from '../../model/layer.ts'
import { DEFAULT_RETRY, withRetry } from '../../model/retry.ts'
import { takeSignal } from '../abort.ts'
import { createBackoffs } from '../backoffs.ts'
import { requireSome } from '../claim.ts'
import type { MemoryOptions } from '../memory-options.ts'
import type { Nokosu, OwnMemories } from '../nokosu.ts'
import { requireOperator } from '../operator.ts'
import type { MemorySettings } from '../settings.ts'
import { ServerClient } from './client.ts'
import { OWN_OPERATIONS, type OwnName, type RemoteName, WHOLE_OPERATIONS, type WholeName } from './operations.ts'

/** The caller's identity if its arguments do not say. The token limits it on the server. */
export interface RemoteCaller {
  identifiers?: Identifiers
  everything?: true
  within?: Identifiers
  seesHeld?: boolean
  agent?: boolean
}

const READ_MS = 30_000
/** The server's models may have to read a thousand texts. */
const WRITE_MS = 120_000
/** For operations that read or rewrite the whole store. */
const WHOLE_MS = 600_000

const OPERATIONS = { ...OWN_OPERATIONS, ...WHOLE_OPERATIONS }

/**
 * A server's engine. Each call is one request with the operation's name and arguments: guard, admission, trust and scopes are decided
 * there, and the models run there.
 */
export async function openRemote(url: string, options: MemoryOptions): Promise<Nokosu> {
  const client = new ServerClient(url, options.token)
  const { capabilities, settings: stored, model } = await client.about()
  const { enabled = true } = options.memory ?? {}
  const settings = { ...stored, enabled: stored.enabled && enabled }
  const backoffs = createBackoffs(options.now ?? (() => new Date()))
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  const requireOpen = () => {
    if (closed) throw new MemoryError('PROVIDER_ERROR', 'The memory is shut down.', { retryable: false })
  }
  const insideRun = options.insideRun ?? false
  const bodyOf = (name: RemoteName, who: RemoteCaller, values: readonly unknown[]) => {
    requireOpen()
    if (OPERATIONS[name].needs === 'admin') requireOperator({ insideRun }, { identifiers: null }, `calls ${name}`)
    const as = insideRun ? { ...who, agent: true, seesHeld: false } : who
    const args = name === 'context' ? withBudget(values, options.budget) : [...values]
    return { args, ...(Object.keys(as).length === 0 ? {} : { as }) }
  }
  const ask = async <Value>(name: RemoteName, who: RemoteCaller, values: readonly unknown[]): Promise<Value> => {
    const { signal, rest } = takeSignal(name, values)
    signal?.throwIfAborted()
    const { needs, key } = OPERATIONS[name]
    const body = bodyOf(name, who, key === undefined ? rest : withKey(name, rest, key))
    const ms = needs === 'read' ? READ_MS : needs === 'write' ? WRITE_MS : WHOLE_MS
    const attempt = () => client.ask<Value>(`/${name}`, { ms, body, signal })
    const isRepeatable = needs === 'read' || key !== undefined
    const asking = isRepeatable
      ? withRetry({ ...DEFAULT_RETRY, ...options.retry }, attempt, backoffs.noteFor('store'))
      : attempt()
    underWay.add(asking)
    return asking.finally(() => underWay.delete(asking))
  }
  const operations = (who: RemoteCaller): OwnMemories => {
    const calls = Object.fromEntries(
      (Object.keys(OWN_OPERATIONS) as OwnName[]).map((name) => [
        name,
        async (...values: unknown[]) => ask(name, who, values),
      ]),
    ) as unknown as Record<OwnName, never>
    return {
      ...(calls as unknown as OwnMemories),
      personality: grouped('personality', calls) as unknown as OwnMemories['personality'],
      // If memory is switched off on this machine, it neither shows nor records anything, whatever the server does.
      async context(request = {}) {
        if (settings.enabled) return ask('context', who, [request])
        return (await import('../context.ts')).nothing(request.format ?? 'operational')
      },
      async recall(request) {
        if (settings.enabled) return ask('recall', who, [request])
        return (await import('../recall.ts')).nothing(request)
      },
      async capture(source, request) {
        await requireEnabled(settings)
        return ask('capture', who, [await readText(source), request])
      },
      async record(...values) {
        await requireEnabled(settings)
        return ask('record', who, values)
      },
      generateEmbedding: async (...values) => Float32Array.from(await ask<number[]>('generateEmbedding', who, values)),
      async *export(...request) {
        const { signal, rest } = takeSignal('export', request)
        yield* client.lines('/export', { ms: WHOLE_MS, body: bodyOf('export', who, rest), signal })
      },
    }
  }
  const root = operations({})
  const embedding: EmbeddingProvider = {
    ...model,
    embed: (texts) => Promise.all(texts.map((text) => root.generateEmbedding(text))),
  }
  const whole = Object.fromEntries(
    (Object.keys(WHOLE_OPERATIONS) as WholeName[]).map((name) => [
      name,
      async (...values: unknown[]) => ask(name, {}, values),
    ]),
  ) as unknown as Record<WholeName, never>
  const shutdown = async () => {
    closed = true
    await Promise.allSettled(underWay)
  }
  return {
    ...(root as unknown as Nokosu),
    ...(whole as unknown as Pick<Nokosu, 'stats' | 'sweep' | 'purge' | 'reembed'>),
    capabilities,
    settings,
    embedding,
    directory: grouped('directory', whole) as unknown as Nokosu['directory'],
    tokens: {
      ...serverOnly('verify', 'find', 'used', 'signOut', 'isSignedOut'),
      ...grouped('tokens', whole),
    } as unknown as Nokosu['tokens'],
    ...(serverOnly('bindKey') as unknown as Pick<Nokosu, 'bindKey'>),
    as(identifiers, { by: _, named: __, ...known } = {}) {
      return operations({ ...known, identifiers: requireSome(identifiers, 'as') })
    },
    operator: (_, { named: __, ...known } = {}) => operations({ ...known, everything: true }),
    initialize: async () => {},
    warm: async () => {},
    async healthCheck(...options) {
      const started = performance.now()
      try {
        const health = await ask<Awaited<ReturnType<Nokosu['healthCheck']>>>('healthCheck', {}, options)
        return { ...health, latencyMs: Math.round(performance.now() - started) }
      } catch (error) {
        const { message } = error as Error
        return { status: 'unhealthy', latencyMs: Math.round(performance.now() - started), problems: [message] }
      }
    },
    backoffs: () => backoffs.current(),
    follow: async () => null,
    async import(lines, { onProgress: _, ...given } = {}) {
      const all: string[] = []
      for await (const line of lines) all.push(line)
      return ask('import', {}, [all, given])
    },
    shutdown,
    [Symbol.asyncDispose]: shutdown,
  }
}

async function requireEnabled(settings: MemorySettings): Promise<void> {
  if (!settings.enabled) (await import('../capture.ts')).requireEnabled({ settings })
}

/** Calls such as `personality.get`, under their own names. */
function grouped(group: string, calls: Record<string, unknown>): Record<string, unknown> {
  const own = Object.entries(calls).filter(([name]) => name.startsWith(`${group}.`))
  return Object.fromEntries(own.map(([name, call]) => [name.slice(group.length + 1), call]))
}

/** What only the server itself does. */
function serverOnly(...names: string[]): Record<string, () => Promise<never>> {
  const refuse = async () => {
    throw new MemoryError('UNSUPPORTED', 'Only the server of this store can do that: run it there.')
  }
  return Object.fromEntries(names.map((name) => [name, refuse]))
}

/** A call without a key gets one, because an answer may be lost on the way. */
function withKey(name: RemoteName, values: readonly unknown[], at: number): unknown[] {
  const given = values[at] ?? {}
  if (typeof given !== 'object' || 'key' in given) return [...values]
  // These only write when a session is shown something.
  if ((name === 'context' || name === 'recall') && !('session' in given)) return [...values]
  const filled = [...values]
  filled[at] = { ...given, key: ulid() }
  return filled
}

function withBudget(values: readonly unknown[], budget: number | undefined): unknown[] {
  const [request = {}, ...rest] = values
  if (budget === undefined || typeof request !== 'object') return [...values]
  return [{ budget, ...request }, ...rest]
}

async function readText(source: AsyncIterable<Uint8Array> | string): Promise<string> {
  if (typeof source === 'string' || typeof source?.[Symbol.asyncIterator] !== 'function') return source as string
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts).toString()
}
