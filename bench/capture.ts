import { captureStream } from '../src/capture/capture.ts'
import { digits, type Section } from './report.ts'

const MEGABYTE = 1_000_000
const CHUNK_BYTES = 65_536

/** Captures a made-up run of about `megabytes` MB: mostly tool output, with an occasional statement to store. */
export async function benchCapture(megabytes = 300): Promise<Section> {
  const before = process.memoryUsage.rss()
  let peak = before
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const start = performance.now()
  const result = await captureStream(makeRun(megabytes * MEGABYTE), { format: 'stream-json', suggestions: true })
  const seconds = (performance.now() - start) / 1000
  clearInterval(sampler)
  const read = result.bytes / MEGABYTE
  const rate = read / seconds
  const peakRss = digits(peak / MEGABYTE, 0)
  return {
    title: 'Capture of stream-json',
    rows: [
      {
        MB: digits(read, 0),
        lines: result.lines,
        'MB/s': digits(rate, 0),
        'peak RSS MB': peakRss,
        'grown MB': digits((peak - before) / MEGABYTE, 0),
        candidates: result.candidates.length,
      },
    ],
    checks: [{ claim: 'capture of stream-json', measured: rate, bar: 100, better: 'more', unit: 'MB/s' }],
  }
}

/** In pipe-sized chunks that split lines. */
async function* makeRun(bytes: number): AsyncGenerator<Uint8Array> {
  const outputs = toolOutputs()
  let sent = 0
  let rest: Buffer = Buffer.alloc(0)
  for (let turn = 0; sent < bytes; turn++) {
    rest = Buffer.concat([rest, Buffer.from(assistantLines(turn)), outputs[turn % outputs.length] ?? Buffer.alloc(0)])
    let at = 0
    for (; rest.length - at >= CHUNK_BYTES; at += CHUNK_BYTES) {
      yield rest.subarray(at, at + CHUNK_BYTES)
      sent += CHUNK_BYTES
    }
    rest = rest.subarray(at)
    // Yields to timers and other work, like a pipe.
    if (turn % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  yield rest
}

/** Most results are a few kilobytes, some are whole files. Source code is full of quotes, which JSON escapes. */
function toolOutputs(): Buffer[] {
  return Array.from({ length: 40 }, (_, index) => {
    const kilobytes = index % 10 === 0 ? 200 : index % 3 === 0 ? 24 : 3
    const rows = Array.from(
      { length: kilobytes * 12 },
      (_, row) =>
        `${row}\tconst "role_${row % 17}" = read("assistant", '${row * index}') // \u001b[32mok\u001b[0m [MEMORY:timing] no`,
    )
    const stdout = rows.join('\n')
    const content = [{ type: 'tool_result', tool_use_id: `toolu_${index}`, content: stdout, is_error: false }]
    const event = {
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      session_id: 'bench-session',
      tool_use_result: { stdout, stderr: '', interrupted: false, isImage: false },
    }
    return Buffer.from(`${JSON.stringify(event)}\n`)
  })
}

function assistantLines(turn: number): string {
  const remembered =
    turn % 20 === 0 ? `\n[MEMORY:timing:service-${turn % 9}] Start number ${turn} took ${turn % 90} s` : ''
  const text = { type: 'text', text: `Step ${turn}: looking at the next file before changing anything.${remembered}` }
  const call = { type: 'tool_use', id: `toolu_${turn}`, name: 'Bash', input: { command: `cat src/file-${turn}.ts` } }
  return [text, call]
    .map((block) => {
      const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'bench', content: [block] }
      return `${JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null, session_id: 'bench-session' })}\n`
    })
    .join('')
}
