import { metrics } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { readSignals } from './signals.ts'

export interface Telemetry {
  /** All measurements so far, in the text format of Prometheus. */
  collect(): Promise<string>
  close(): Promise<void>
}

/**
 * Registers the meters and the OTLP export configured in the environment. Call it before you open an engine: an engine
 * opened earlier reports nothing.
 */
export async function startTelemetry(env: Readonly<Record<string, string | undefined>> = {}): Promise<Telemetry> {
  const signals = readSignals(env)
  const exporters = signals && (await import('./otlp.ts')).openExporters(signals)
  // The exporter is only read. Its own server is not started.
  const reader = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [reader, ...(exporters?.reader ? [exporters.reader] : [])] })
  const withoutTargetInfo = true
  const serializer = new PrometheusSerializer(undefined, false, undefined, withoutTargetInfo)
  metrics.setGlobalMeterProvider(provider)
  return {
    async collect() {
      const { resourceMetrics, errors } = await reader.collect()
      const problems = errors.map((error) => `# not collected: ${String(error).replaceAll(/\s+/g, ' ')}\n`)
      return serializer.serialize(resourceMetrics) + problems.join('')
    },
    async close() {
      metrics.disable()
      // Sends the last measurements now.
      await Promise.allSettled([provider.shutdown(), exporters?.close()])
    },
  }
}
