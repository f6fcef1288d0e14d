import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSignals } from '../../src/observe/signals.ts'
import { workspace } from '../surfaces/run-cli.ts'
import { startServer } from './start-server.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code: number; message?: string }
}

/** An OTLP collector over HTTP. */
async function collector() {
  const spans: Span[] = []
  const metrics = new Set<string>()
  const bodies: string[] = []
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString()
      bodies.push(text)
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(text)
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
      for (const { scopeMetrics } of resourceMetrics)
        for (const scope of scopeMetrics) for (const { name } of scope.metrics) metrics.add(name)
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, metrics, bodies }
}

describe('OTLP', () => {
  it('[D26] [D28] sends metrics and spans when the environment asks for it, inside the caller’s trace and without content', async () => {
    const { url: endpoint, spans, metrics, bodies } = await collector()
    const { folder } = workspace()
    const { url, child, ended } = await startServer(folder, [], { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await fetch(`${url}/api/memories`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      body: JSON.stringify({ layer: 'project', identifiers: { projectId: 'shop' }, content: 'Hidden words' }),
    })
    await fetch(`${url}/api/memories/unknown`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"Hidden words"}',
    })
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    const request = spans.find(({ name }) => name === 'POST /api/memories')
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
    expect(spans.find(({ name }) => name === 'memory.add')).toMatchObject({ traceId, parentSpanId: request!.spanId })
    expect(spans.find(({ name }) => name === 'memory.update')?.status).toEqual({ code: 2, message: 'MEMORY_NOT_FOUND' })
    expect([...metrics].filter((name) => !/^(process|nodejs)\./.test(name)).sort()).toEqual([
      ...'http.server.request.duration memory.embedding.texts.total memory.operations.errors'.split(' '),
      ...'memory.operations.latency memory.operations.total memory.retries.total'.split(' '),
      ...'memory.spool.records memory.storage.size'.split(' '),
    ])
    expect(bodies.join('')).not.toContain('Hidden')
  })

  it('is asked for by the standard variables', () => {
    const endpoint = 'http://collector:4318'
    expect(readSignals({})).toBeNull()
    expect(readSignals({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
      ...{ metrics: true, traces: true, serviceName: 'nokosu', metricIntervalMs: 60_000 },
    })
    expect(readSignals({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull()
    expect(readSignals({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint })).toMatchObject({
      metrics: false,
      traces: true,
    })
    expect(
      readSignals({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_SERVICE_NAME: 'm' }),
    ).toMatchObject({ metrics: true, traces: false, serviceName: 'm' })
    expect(
      readSignals({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_METRIC_EXPORT_INTERVAL: '500' })?.metricIntervalMs,
    ).toBe(500)
  })
})
