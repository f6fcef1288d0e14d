import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface PostgresServer {
  url: string
  /** Stops like an administrator, or like a crash. */
  stop(how: 'fast' | 'immediate'): void
  start(): void
}

interface PostgresOptions {
  /** The crash that commits must survive; most tests need none. */
  survives?: 'nothing' | 'crash' | 'power cut'
}

const onOff = (value: boolean) => (value ? 'on' : 'off')

/** A separate server in this folder on a free port. It runs until stopped. */
export async function startPostgres(
  folder: string,
  { survives = 'nothing' }: PostgresOptions = {},
): Promise<PostgresServer> {
  // In a separate process, because installing it takes minutes and this process must keep answering.
  const find = [join(import.meta.dirname, 'find-postgres.ts')]
  const { stdout: bin } = await promisify(execFile)(process.execPath, find)
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  // The server refuses to run as root.
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString()))
    for (const each of [folder, data]) chownSync(each, uid!, gid!)
    chmodSync(folder, 0o711)
  }
  const log = join(folder, 'log')
  const run = (program: string, ...given: string[]) => {
    const command = [join(bin, program), '-D', data, ...given]
    const [file, ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    const { status } = spawnSync(file!, rest, { cwd: folder, stdio: 'ignore' })
    if (status !== 0) throw new Error(`${program} failed (${status}).\n${readLog(log)}`)
  }
  const port = await freePort()
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=${onOff(survives === 'power cut')} -c synchronous_commit=${onOff(survives !== 'nothing')}`
  const server: PostgresServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () => run('pg_ctl', '-o', settings, '-l', log, '-w', 'start'),
    stop: (how) => run('pg_ctl', '-m', how, '-w', 'stop'),
  }
  run('initdb', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-locale', '-N')
  server.start()
  return server
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-2000)
  } catch {
    return 'There is no log.'
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer()
    listener.once('error', reject)
    listener.listen(0, '127.0.0.1', () => {
      const { port } = listener.address() as { port: number }
      listener.close(() => resolve(port))
    })
  })
}
