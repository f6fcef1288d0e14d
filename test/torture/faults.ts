import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { MemoryError } from '../../src/model/errors.ts'
import { everything, openFleet } from '../stress/fleet-store.ts'
import { sentence, sequence } from '../stress/sentences.ts'
import { runWorker } from '../stress/worker-process.ts'
import type { Scenario } from './scenario.ts'

const SHOP = { layer: 'project', identifiers: { projectId: 'shop' } } as const

/** Changes random bytes of a file. Every operation then works, or fails with our error that names the problem. */
export const flippedPages: Scenario = async ({ create, seed, size, progress }) => {
  const random = sequence(seed)
  const store = await create()
  try {
    if (store.file === null) return
    const memory = await openFleet(store.url)
    await memory.bulkAdd(
      Array.from({ length: 300 }, (_, i) => ({ ...SHOP, exact: true, content: sentence(random, `f${i}`) })),
    )
    await memory.shutdown()
    const whole = readFileSync(store.file)
    for (let round = 0; round < size; round++) {
      const broken = Buffer.from(whole)
      const page = Math.floor(random() * (broken.length / 4096)) * 4096
      for (let i = 0; i < 64; i++) broken[page + Math.floor(random() * 4096)] = Math.floor(random() * 256)
      const path = `${store.file}.${round}`
      writeFileSync(path, broken)
      for (const line of await runWorker('attempt', [path])) {
        const { name, ok, known, message } = JSON.parse(line) as {
          name: string
          ok: boolean
          known?: boolean
          message?: string
        }
        if (!ok && !known) progress.fail(`${name} on a flipped page: ${message}`)
        progress.did()
      }
    }
  } finally {
    await store.destroy()
  }
}

/** A server that stalls or loses answers: every call ends, and acknowledged writes exist once. */
export const stalledServer: Scenario = async ({ create, seed, size, progress }) => {
  const random = sequence(seed)
  const store = await create()
  const place = /^https?:/.test(store.url) ? new URL(store.url) : null
  const proxy = createServer((socket) => {
    const upstream = connect(Number(place!.port), place!.hostname)
    for (const each of [socket, upstream]) each.on('error', () => {})
    socket.pipe(upstream)
    // Delays answers and loses some.
    upstream.on('data', (data) =>
      random() < 0.2 ? socket.destroy() : setTimeout(() => socket.writable && socket.write(data), random() * 50),
    )
    socket.once('close', () => upstream.destroy())
    upstream.once('close', () => socket.destroy())
  })
  try {
    if (place === null) return
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const token = store.env.NOKOSU_TOKEN!
    const open = async (url: string) => {
      for (;;) {
        const opened = await openFleet(url, { token, retry: { retries: 3, baseMs: 5, maxMs: 20 } }).catch(
          (error: unknown) => error,
        )
        if (!(opened instanceof Error)) return opened as Awaited<ReturnType<typeof openFleet>>
      }
    }
    const memory = await open(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    const said: string[] = []
    for (let i = 0; i < size; i++) {
      const content = sentence(random, `s${i}`)
      const key = `stalled ${seed} ${i}`
      for (;;) {
        try {
          await memory.add({ ...SHOP, exact: true, content }, { key })
          break
        } catch (error) {
          if (!MemoryError.is(error) || !error.retryable) {
            progress.fail(`add through a stalled server: ${(error as Error).message}`)
            break
          }
        }
      }
      said.push(content)
      progress.did()
    }
    const direct = await open(store.url)
    const stored = (await everything(direct)).map(({ content }) => content).sort()
    if (JSON.stringify(stored) !== JSON.stringify(said.sort()))
      progress.fail(`${stored.length} of ${said.length} are there`)
    await Promise.all([memory.shutdown(), direct.shutdown()])
  } finally {
    proxy.close()
    await store.destroy()
  }
}

/** A machine with a clock that is years off writes, reads and sweeps: others lose nothing. */
export const wrongClock: Scenario = async ({ create, seed, size, progress }) => {
  const random = sequence(seed)
  const store = await create()
  const token = store.env.NOKOSU_TOKEN
  const own = token === undefined ? {} : { token }
  try {
    const right = await openFleet(store.url, own)
    const ids: string[] = []
    for (let i = 0; i < size; i++) {
      const { memory } = await right.add({ ...SHOP, exact: true, content: sentence(random, `k${i}`) })
      ids.push(memory.id)
      const now = new Date(pickTime(random))
      const wrong = await openFleet(store.url, { ...own, now: () => now })
      try {
        await wrong.add({ ...SHOP, exact: true, content: sentence(random, `w${i}`) })
        await wrong.search({ identifiers: SHOP.identifiers, query: 'amber basil', threshold: 0 })
        await wrong.context({ identifiers: SHOP.identifiers })
      } finally {
        await wrong.shutdown()
      }
      progress.did()
    }
    for (const id of ids) if ((await right.get(id, { everything: true })) === null) progress.fail(`${id} is lost`)
    await right.shutdown()
  } finally {
    await store.destroy()
  }
}

function pickTime(random: () => number): number {
  const years = [1971, 1999, 2025, 2040, 2099]
  return Date.UTC(years[Math.floor(random() * years.length)]!, Math.floor(random() * 12), 1 + Math.floor(random() * 28))
}

/** A disk that fills up, if this machine allows one: every write succeeds or is refused, and the file stays intact. */
export const fullDisk: Scenario = async ({ create, progress }) => {
  const store = await create()
  try {
    if (store.file === null) return
    const { mountSmall } = await import('./small-disk.ts')
    const disk = mountSmall(8 << 20)
    if (disk === null) return
    try {
      const path = join(disk.path, 'memory.db')
      const memory = await openFleet(`sqlite:${path}`, { retry: { retries: 0 } })
      const there: string[] = []
      for (let i = 0, failures = 0; failures < 20 && i < 2000; i++) {
        try {
          const { memory: added } = await memory.add({
            ...SHOP,
            exact: true,
            content: sentence(Math.random, `d${i}`).repeat(60),
          })
          there.push(added.id)
        } catch (error) {
          if (!MemoryError.is(error)) progress.fail(`a full disk: ${(error as Error).message}`)
          failures++
        }
        progress.did()
      }
      for (const id of there) if ((await memory.get(id, { everything: true })) === null) progress.fail(`${id} is lost`)
      await memory.shutdown()
      cpSync(path, store.file)
      copyFileSync(path, `${store.file}.copy`)
      const { findBrokenInvariants } = await import('../stress/invariants.ts')
      for (const problem of findBrokenInvariants(path)) progress.fail(problem)
    } finally {
      disk.unmount()
    }
  } finally {
    await store.destroy()
  }
}
