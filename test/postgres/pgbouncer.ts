import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installDebian } from '../install-debian.ts'
import { freePort } from './start-postgres.ts'

const PATIENCE_MS = 120_000

/** PgBouncer in transaction mode: client connections share four server connections. */
export async function startPgbouncer(
  server: string,
  onPort?: number,
): Promise<{ port: number; stop(): Promise<void> }> {
  const program = findPgbouncer()
  const { hostname, port: serverPort, username, password } = new URL(server)
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-pgbouncer-'))
  const port = onPort ?? (await freePort())
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    [
      ...['[databases]', `* = host=${hostname} port=${serverPort || 5432}`],
      ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
      ...['auth_type = trust', `auth_file = ${join(folder, 'users.txt')}`],
      ...['pool_mode = transaction', 'default_pool_size = 4', 'max_client_conn = 200'],
    ].join('\n'),
  )
  // It refuses to run as root.
  chmodSync(folder, 0o755)
  const asOther = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn(program, ['-q', ...asOther, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  for (let waited = 0; !(await answers(port)); waited += 50) {
    if (waited > PATIENCE_MS || child.exitCode !== null) throw new Error('PgBouncer does not answer.')
    await sleep(50)
  }
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

function findPgbouncer(): string {
  const look = () => {
    const inPath = spawnSync('which', ['pgbouncer'], { encoding: 'utf8' }).stdout.trim()
    return inPath || (existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : null)
  }
  const found = look() ?? (installDebian('pgbouncer') ? look() : null)
  if (found) return found
  throw new Error('This test needs PgBouncer: install it (Debian: apt-get install pgbouncer).')
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
