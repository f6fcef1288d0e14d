import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { formatOf, passThrough } from './output.ts'

it.each([
  ['claude -p hi', 'output'],
  ['claude -p hi --output-format stream-json --verbose', 'stream-json'],
  ['/opt/bin/claude -p hi --output-format=json', 'stream-json'],
  ['claude -p hi --output-format text', 'text'],
  ['my-agent --output-format stream-json', 'stream-json'],
  ['my-agent', 'output'],
])('knows the format of `%s` from its command line', (line, format) => {
  expect(formatOf(line.split(' '))).toBe(format)
})

it('does not read ahead of a caller that is slow', async () => {
  let produced = 0
  const source = Readable.from(
    (function* () {
      for (; produced < 1000; produced++) yield Buffer.alloc(1000)
    })(),
    { highWaterMark: 1 },
  )
  const target = new PassThrough({ highWaterMark: 2000 })
  const reading = passThrough(source, target)
  const all = (async () => {
    let bytes = 0
    for await (const part of reading) bytes += part.length
    return bytes
  })()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(produced).toBeLessThan(10)
  target.resume()
  expect(await all).toBe(1_000_000)
})
