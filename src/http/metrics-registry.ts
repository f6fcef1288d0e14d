import { metrics } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export interface MetricsRegistry {
  /** All measurements so far, in the text format of Prometheus. */
  collect(): Promise<string>
  close(): Promise<void>
}

/** Registers a meter provider. Call it before you open an engine: an engine opened earlier reports nothing. */
export function registerMetrics(): MetricsRegistry {
  // The exporter is only read. Its own server is not started.
  const reader = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [reader] })
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
      await provider.shutdown()
    },
  }
}
