/**
 * Runs one system in its own process, so that systems share neither memory nor garbage collection. Takes commands from run.ts over IPC.
 */
import { performance } from 'node:perf_hooks'
import { localEmbedding } from '../../src/embedding/local.ts'
import { since } from '../report.ts'
import type { Answer, Order } from './order.ts'
import type { Peer } from './peer.ts'
import { PEERS } from './peers.ts'
import { lookUp, vectorsOf } from './statements.ts'

type Work = Extract<Order, { texts: string[] }>

const SECOND = 1000

let peer: Peer | null = null
let isLive = false
let before = 0

async function obey(order: Order): Promise<Answer> {
  if (order.do === 'open') {
    await open(order)
    return {}
  }
  if (order.do === 'close') {
    await peer!.close()
    return {}
  }
  if (order.do === 'weigh') {
    globalThis.gc?.()
    return { memory: process.memoryUsage().rss - before }
  }
  isLive = 'live' in order && order.live === true
  const processor = process.cpuUsage()
  const { done, ...answer } = await measure(order, peer!)
  const { user, system } = process.cpuUsage(processor)
  return { ...answer, processor: (user + system) / 1000 / done }
}

async function open({ peer: name, folder, database }: Extract<Order, { do: 'open' }>): Promise<void> {
  const embed = lookUp(await vectorsOf([]))
  const live = localEmbedding()
  globalThis.gc?.()
  before = process.memoryUsage().rss
  peer = await PEERS[name]!.open({
    folder,
    database,
    embed: (texts) => (isLive ? live.embed([...texts]) : embed(texts)),
  })
}

async function measure(order: Work, peer: Peer) {
  const started = performance.now()
  if (!('seconds' in order)) {
    await (order.do === 'fill' && peer.fill ? peer.fill(order.texts) : peer.bulk(order.texts))
    return { times: [since(started) / order.texts.length], done: order.texts.length }
  }
  const times: number[] = []
  let found = 0
  for (const [i, text] of order.texts.entries()) {
    const start = performance.now()
    const texts = order.do === 'add' ? await peer.add(text).then(() => []) : await peer.search(text)
    times.push(since(start))
    if (order.do === 'search' && texts.includes(order.expected[i]!)) found++
    if (since(started) > order.seconds * SECOND) break
  }
  return { times, done: times.length, found: found / times.length }
}

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send!(answer),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.stack : String(error) }),
  )
})
