import { MemoryError, wrongSetting } from '../model/errors.ts'
import { normalize } from '../vector/normalize.ts'
import { parseEmbeddings } from './http-answer.ts'
import { describeFailure, parseRetryAfter } from './http-failure.ts'
import type { EmbeddingProvider } from './provider.ts'

export interface HttpEmbeddingOptions {
  /** The API's base URL, such as `https://api.openai.com/v1`, or its full `/embeddings` URL. */
  url: string
  model: string
  /** Length of the model's vectors; an answer of another length is refused. */
  dimensions: number
  apiKey?: string
  /** Maximum texts per request. */
  batchSize?: number
  /** For each request, including its answer. */
  timeoutMs?: number
  fetch?: typeof globalThis.fetch
}

/**
 * Any OpenAI-compatible embeddings endpoint. It asks once: the engine retries. The key never appears in its
 * errors.
 */
export function httpEmbedding(options: HttpEmbeddingOptions): EmbeddingProvider {
  const { model, dimensions, batchSize = 64, timeoutMs = 30_000, fetch = globalThis.fetch } = options
  const endpoint = endpointOf(options.url)
  requirePositive('dimensions', dimensions)
  requirePositive('batchSize', batchSize)
  requirePositive('timeoutMs', timeoutMs)
  if (model === '') throw invalid('model', 'must not be empty')
  const apiKey = keyOf(options.apiKey)
  // Without the query, where some services expect their key.
  const where = `${endpoint.origin}${endpoint.pathname}`

  async function request(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    // Not the shortest texts: a word or two reveal nothing, and removing them would garble every message.
    const secrets = [...texts.filter((text) => text.length >= 8), ...endpoint.searchParams.values(), apiKey ?? '']
    const timeout = AbortSignal.timeout(timeoutMs)
    let response: Response
    let body: string
    try {
      response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input: texts }),
        // A redirect would send the texts to a server that nobody configured.
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      body = await response.text()
    } catch (error) {
      signal?.throwIfAborted()
      // Without the cause: a custom fetch may put the request and its headers in the error.
      const reason = timeout.aborted ? `no answer within ${timeoutMs} ms` : describeFailure(error, secrets)
      throw new MemoryError('EMBEDDING_FAILED', `${where} cannot be reached: ${reason}`, { details: { url: where } })
    }
    if (!response.ok) throw refusal(where, response, describeFailure(body, secrets))
    return parseEmbeddings(body, texts.length, dimensions).map(normalize)
  }

  return {
    name: `http:${model}-${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted()
      // Services refuse an empty text, and with it the whole batch.
      const filled = texts.filter((text) => text.trim() !== '')
      const vectors: Float32Array[] = []
      for (let i = 0; i < filled.length; i += batchSize) {
        vectors.push(...(await request(filled.slice(i, i + batchSize), signal)))
      }
      const remaining = vectors.values()
      return texts.map((text) => (text.trim() === '' ? new Float32Array(dimensions) : remaining.next().value!))
    },
  }
}

function refusal(where: string, response: Response, reason: string): MemoryError {
  const { status } = response
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
  const details = { url: where, status, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
  if (status === 429)
    return new MemoryError('RATE_LIMITED', `${where} limits the rate of requests (429): ${reason}`, { details })
  if (status === 401 || status === 403) {
    // Without the reason: services quote parts of the key in it.
    return new MemoryError('UNAUTHORIZED', `${where} refused the API key (${status}): check embedding.apiKey`, {
      details,
    })
  }
  const retryable = status >= 500 || status === 408
  return new MemoryError('EMBEDDING_FAILED', `${where} answered ${status}: ${reason}`, { details, retryable })
}

function endpointOf(url: string): URL {
  if (!URL.canParse(url)) throw invalid('url', 'must be an absolute http or https address')
  const endpoint = new URL(url)
  if (endpoint.protocol !== 'http:' && endpoint.protocol !== 'https:') throw invalid('url', 'must be http or https')
  if (endpoint.username !== '' || endpoint.password !== '') {
    throw invalid('url', 'must not contain a user name or password: use embedding.apiKey')
  }
  const path = endpoint.pathname.replace(/\/+$/, '')
  endpoint.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`
  return endpoint
}

/** Checked here, because fetch would quote an invalid key in its error. */
function keyOf(apiKey: string | undefined): string | null {
  const key = apiKey?.trim() ?? ''
  if (key === '') return null
  if (!/^[\x21-\x7e]+$/.test(key))
    throw invalid('apiKey', 'contains characters that a key cannot have (spaces, line breaks, ...)')
  return key
}

function requirePositive(key: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) throw invalid(key, 'must be a whole number above 0')
}

function invalid(key: string, problem: string): MemoryError {
  return wrongSetting(`embedding.${key}`, `embedding.${key} ${problem}`)
}
