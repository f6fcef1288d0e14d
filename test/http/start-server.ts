import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { finish, type Ran, startCli } from '../surfaces/run-cli.ts'

export interface Started {
  url: string
  port: number
  /** Headers that identify the operator of this machine; empty if the server requires tokens. */
  asOperator: Record<string, string>
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
  const { url, operatorKeyFile } = await new Promise<{ url: string; operatorKeyFile: string | null }>(
    (resolve, reject) => {
      child.stdout!.on('data', (part: string) => {
        said += part
        if (said.includes('}')) resolve(JSON.parse(said) as never)
      })
      void ended.then(({ stderr }) => reject(new Error(`The server ended: ${stderr}`)))
    },
  )
  const asOperator: Record<string, string> =
    operatorKeyFile === null ? {} : { authorization: `Bearer ${readFileSync(operatorKeyFile, 'utf8').trim()}` }
  return { url, port: Number(new URL(url).port), asOperator, child, ended }
}

/** Runs work on many items with limited concurrency. */
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
