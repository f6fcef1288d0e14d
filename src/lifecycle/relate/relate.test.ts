import { describe, expect, test } from 'vitest'
import { HELD_OUT, type Pair, TUNE } from './pairs.fixture.ts'
import { type Relation, ruleRelater, type Statement } from './relate.ts'

const relater = ruleRelater()

function say(text: string, vector: Float32Array | null = null): Statement {
  return { text, vector }
}

function relate(a: string, b: string): Relation {
  return relater.relate(say(a), say(b)).relation
}

/** Two unit vectors with the given cosine. */
function vectors(cosine: number): [Float32Array, Float32Array] {
  return [Float32Array.of(1, 0), Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine))]
}

describe('ruleRelater', () => {
  test('units, an article and "about" make no difference', () => {
    expect(relate('Takes 60s to start after restart', 'Takes about 60 seconds to start after a restart')).toBe('same')
  })

  test('needing something first and being independent of it contradict each other', () => {
    const verdict = relater.relate(
      say('Must be started after WireGuard'),
      say('Can be started independently of WireGuard'),
    )
    expect(verdict).toMatchObject({ relation: 'contradicts', reason: 'one denies it (independently)' })
  })

  test('the reason names both quantities', () => {
    const verdict = relater.relate(say('Takes 60s to start'), say('Takes 90 seconds to start'))
    expect(verdict).toMatchObject({ relation: 'contradicts', reason: '60s and 90 seconds for one duration' })
  })

  test.each([
    ['a state', 'Turbo must be disabled', 'Turbo must be enabled'],
    ['a port', 'The proxy listens on port 8080', 'The proxy listens on port 9090'],
    ['a version', 'The chart is pinned to 1.4.2', 'The chart is pinned to 1.5.0'],
    ['a path', 'The socket is at /run/app.sock', 'The socket is at /tmp/app.sock'],
    ['an order', 'Flush the buffer before the snapshot', 'Flush the buffer after the snapshot'],
    ['an owner', 'The ledger is owned by the finance team', 'The ledger is owned by the risk team'],
    ['a weekday', 'Patching happens on Tuesday', 'Patching happens on Thursday'],
    ['a tool', 'Jobs are queued in RabbitMQ', 'Jobs are queued in Kafka'],
    ['a mode', 'Writes are acknowledged synchronously', 'Writes are acknowledged asynchronously'],
    ['a limit', 'Uploads are limited to 5 MB', 'Uploads can be up to 50 MB'],
    ['a permission', 'Only operators may approve refunds', 'Anyone may approve refunds'],
    ['an end', 'Invitations expire after 7 days', 'Invitations never expire'],
  ])('%s that differs is a contradiction', (_, a, b) => {
    const [v, w] = vectors(0.8)
    expect(relater.relate(say(a, v), say(b, w)).relation).toBe('contradicts')
  })

  test('without vectors a vague conflict is left open', () => {
    expect(relate('Only operators may approve refunds', 'Anyone may approve refunds')).toBe('other')
  })

  test.each([
    ['another environment', 'Tracing is enabled in production', 'Tracing is disabled in development'],
    ['another subject', 'The worker stops within 10s', 'The scheduler stops within 60s'],
    ['another aspect', 'Exports are stored in S3', 'Exports are limited to 25 MB'],
    ['another condition', 'Restarting is safe', 'Restarting is not safe while a batch runs'],
    ['a narrower subject', 'Tokens expire after 30 days', 'Refresh tokens expire after 90 days'],
    ['a list of needs', 'Needs a static address', 'Needs a mounted volume'],
    ['a range that includes it', 'Requires Ruby 3 or newer', 'Runs on Ruby 4'],
    ['the other action', 'Start the broker before the agents', 'Stop the agents before the broker'],
  ])('%s is no contradiction', (_, a, b) => {
    expect(relate(a, b)).toBe('other')
  })

  test('a detail that only one has is not swallowed', () => {
    expect(relate('Backups are written to S3', 'Backups are written to S3 in the bucket cold-store-7')).toBe('other')
    expect(relate('Restart the indexer', 'Restart the indexer 3 times')).toBe('other')
  })

  test('a double negation agrees with the plain claim', () => {
    expect(relate('Does not run without a license', 'A license is required to run')).toBe('same')
    expect(relate('Never drop below two nodes', 'At least two nodes are kept')).toBe('same')
  })

  test('embeddings far apart hold a verdict back, near ones support it', () => {
    const [a, b] = ['The buffer must be flushed', 'The buffer must not be flushed']
    const [far, near] = [vectors(0), vectors(0.9)]
    expect(relater.relate(say(a, far[0]), say(b, far[1])).relation).toBe('other')
    expect(relater.relate(say(a, near[0]), say(b, near[1])).relation).toBe('contradicts')
  })

  test('vectors of different lengths are left aside', () => {
    const [a, b] = [say('Swap is off', Float32Array.of(1, 0)), say('Swap is on', Float32Array.of(1, 0, 0))]
    expect(relater.relate(a, b)).toEqual(relater.relate(say('Swap is off'), say('Swap is on')))
  })

  test('the calibration of the embedder is applied to the cosine', () => {
    const compressed = ruleRelater({ calibrate: (cosine) => (cosine - 0.7) / 0.3 })
    const [v, w] = vectors(0.72)
    const [a, b] = [say('The buffer must be flushed', v), say('The buffer must not be flushed', w)]
    expect(relater.relate(a, b).relation).toBe('contradicts')
    expect(compressed.relate(a, b).relation).toBe('other')
  })

  test('the order of the two makes no difference', () => {
    for (const [a, b] of [...TUNE, ...HELD_OUT])
      expect(relater.relate(say(b), say(a))).toEqual(relater.relate(say(a), say(b)))
  })

  test('a statement is the same as itself', () => {
    for (const [a] of HELD_OUT) expect(relate(a, a), a).toBe('same')
  })

  test.each(['', ' ', '...', '60', 'not', '🙂', 'a,b;c', '('])('odd text (%j) is other, and no error', (text) => {
    expect(relate(text, 'Takes 60s to start')).toBe('other')
  })

  test('long texts stay quick', () => {
    const long = 'The worker must not be restarted, because 3 jobs of 20 MB run; '.repeat(2000)
    const started = performance.now()
    relate(long, `${long} x`)
    expect(performance.now() - started).toBeLessThan(200)
  })

  test('what lies beyond the first 1,000 characters is not compared', () => {
    const text = 'The worker is idle. '.repeat(60)
    expect(relater.relate(say(`${text} Port 80`), say(`${text} Port 81`)).relation).toBe('same')
  })
})

describe('quality by words alone', () => {
  function measure(pairs: readonly Pair[]) {
    const called = pairs.map(([a, b, truth]) => ({ truth, relation: relate(a, b) }))
    const right = (relation: Relation) => {
      const all = called.filter((each) => each.relation === relation)
      return all.filter((each) => each.truth === relation).length / all.length
    }
    const accuracy = called.filter((each) => each.truth === each.relation).length / called.length
    return { accuracy, contradicts: right('contradicts'), same: right('same') }
  }

  test.each([
    ['the pairs it was written against', TUNE, 0.85],
    ['later pairs', HELD_OUT, 0.75],
  ])('on %s', (_, pairs, accuracy) => {
    const figures = measure(pairs)
    expect(figures.accuracy).toBeGreaterThanOrEqual(accuracy)
    expect(figures.contradicts).toBeGreaterThanOrEqual(0.95)
    expect(figures.same).toBeGreaterThanOrEqual(0.9)
  })
})
