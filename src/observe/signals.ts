/** What to export over OTLP, and under which service name. */
export interface Signals {
  metrics: boolean
  traces: boolean
  serviceName: string
  metricIntervalMs: number
}

/** Reads the standard environment variables of OpenTelemetry; null: export nothing. */
export function readSignals(env: Readonly<Record<string, string | undefined>>): Signals | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const wanted = (signal: 'METRICS' | 'TRACES') =>
    env[`OTEL_${signal}_EXPORTER`] !== 'none' &&
    Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`])
  const signals = { metrics: wanted('METRICS'), traces: wanted('TRACES') }
  if (!signals.metrics && !signals.traces) return null
  const interval = Number(env.OTEL_METRIC_EXPORT_INTERVAL)
  return {
    ...signals,
    serviceName: env.OTEL_SERVICE_NAME || 'nokosu',
    metricIntervalMs: Number.isInteger(interval) && interval > 0 ? interval : 60_000,
  }
}
