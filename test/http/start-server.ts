import type { ChildProcess } from 'node:child_process'
import { finish, type Ran, startCli } from '../surfaces/run-cli.ts'

export interface Started {
  url: string
  port: number
  child: ChildProcess
  ended: Promise<Ran>
}

/** `nokosu serve` in a process of its own, as users start it. */
export async function startServer(
  folder: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Started> {
  const child = startCli(['serve', '--port', '0', '--json', ...args], { cwd: folder, env })
  const ended = finish(child)
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', (part: string) => {
      said += part
      if (said.includes('}')) resolve((JSON.parse(said) as { url: string }).url)
    })
    void ended.then(({ stderr }) => reject(new Error(`The server ended: ${stderr}`)))
  })
  return { url, port: Number(new URL(url).port), child, ended }
}

/** Runs work on many items, so many at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, i: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < items.length) {
      const i = next++
      await work(items[i]!, i)
    }
  }
  await Promise.all(Array.from({ length: width }, one))
}
