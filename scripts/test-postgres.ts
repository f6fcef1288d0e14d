/**
 * Runs tests on a real PostgreSQL server: a cluster of its own in a temporary folder, thrown away afterwards. The server's programs
 * and pgvector must be installed (PG_BIN, or the newest under /usr/lib/postgresql). As root, they run as the user `postgres`.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PORT = 55433
const bin = process.env.PG_BIN ?? newest('/usr/lib/postgresql')
const folder = mkdtempSync(join(tmpdir(), 'nokosu-postgres-'))
const asRoot = process.getuid?.() === 0

function newest(root: string): string {
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return join(root, versions[0]!, 'bin')
}

function run(program: string, ...given: string[]): void {
  const command = [join(bin, program), ...given]
  const [file, ...rest] = asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
  const { status } = spawnSync(file!, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${program} failed`)
}

if (asRoot) {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString()))
  chownSync(folder, uid!, gid!)
}
const data = join(folder, 'data')
// Nothing here has to survive a power cut.
const settings = `-p ${PORT} -k ${folder} -c max_connections=200 -c fsync=off -c listen_addresses=localhost`
run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres')
run('pg_ctl', '-D', data, '-o', settings, '-l', join(folder, 'log'), '-w', 'start')
try {
  const env = { ...process.env, NOKOSU_TEST_POSTGRES: `postgres://postgres@localhost:${PORT}/postgres` }
  const files = process.argv.length > 2 ? process.argv.slice(2) : ['test/storage/postgres']
  const { status } = spawnSync('vitest', ['run', '--project', 'unit', ...files], { stdio: 'inherit', env })
  process.exitCode = status ?? 1
} finally {
  run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop')
  rmSync(folder, { recursive: true })
}
