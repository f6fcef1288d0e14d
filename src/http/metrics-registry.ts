import { metrics } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export interface MetricsRegistry {
  /** Everything measured so far, as Prometheus reads it. */
  collect(): Promise<string>
  close(): Promise<void>
}

/** Makes OpenTelemetry keep what engines report. Call it before an engine is opened: earlier ones report to nobody. */
export function registerMetrics(): MetricsRegistry {
  // The exporter is only read from: its own server, on a port of its own, is never started.
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
