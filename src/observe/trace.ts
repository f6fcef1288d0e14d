import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'

/** Without a tracer provider a span costs almost nothing. */
const tracer = () => trace.getTracer('nokosu')

/** Runs work in a span, inside the current span. A failure is recorded by its code; spans never contain content. */
export function inSpan<T>(name: string, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer().startActiveSpan(name, (span) => finish(span, work))
}

/** Headers are looked up by name: most requests have no trace, and listing all headers costs more than looking for one. */
const HEADERS: TextMapGetter<(name: string) => string | undefined> = {
  get: (header, name) => header(name),
  keys: () => [],
}

/** The same for a request: inside the sender's span, which its headers name. */
export function inServerSpan<T>(
  name: string,
  header: (name: string) => string | undefined,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const parent = propagation.extract(context.active(), header, HEADERS)
  return tracer().startActiveSpan(name, { kind: SpanKind.SERVER }, parent, (span) => finish(span, work))
}

async function finish<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span)
  } catch (error) {
    const { code } = error as { code?: unknown }
    span.setStatus({ code: SpanStatusCode.ERROR, message: typeof code === 'string' ? code : 'unexpected' })
    throw error
  } finally {
    span.end()
  }
}
