/** Prints the bin folder of a PostgreSQL with pgvector. On Debian and derivatives both are installed if possible. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installDebian } from '../install-debian.ts'

const DEBIAN_ROOT = '/usr/lib/postgresql'
/** The first version with iterative index scans. */
const LEAST_MINOR = 8
/** Debian 12 has no recent pgvector, so a later Debian's source is compiled, which takes seconds. */
const SOURCE = {
  uri: 'http://deb.debian.org/debian/pool/main/p/pgvector/pgvector_0.8.0.orig.tar.gz',
  hash: 'SHA256:867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0',
}

const found = lookForBoth() ?? (install() ? lookForBoth() : null)
if (found === null) {
  process.stderr.write(
    `These tests need PostgreSQL with pgvector 0.${LEAST_MINOR} or later. Install both, or set NOKOSU_TEST_POSTGRES to the URL of a server whose user may create schemas.\n`,
  )
}
process.stdout.write(found ?? '')
process.exitCode = found === null ? 1 : 0

function lookForBoth(): string | null {
  return programFolders().find(hasPgvector) ?? null
}

/** The newest first. */
function programFolders(): string[] {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT) : []
  const debian = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_ROOT, version, 'bin'))
  const own = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim()
  return [...debian, ...(own ? [own] : [])].filter((folder) => existsSync(join(folder, 'initdb')))
}

function hasPgvector(folder: string): boolean {
  const share = spawnSync(join(folder, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).stdout?.trim()
  const control = join(share ?? '', 'extension', 'vector.control')
  if (!existsSync(control)) return false
  const [, major, minor] = /default_version = '(\d+)\.(\d+)/.exec(readFileSync(control, 'utf8')) ?? []
  return Number(major) > 0 || Number(minor) >= LEAST_MINOR
}

function install(): boolean {
  if (programFolders().length === 0 && !installDebian('postgresql')) return false
  const [folder] = programFolders()
  const version = folder?.split('/').at(-2)
  if (folder === undefined || version === undefined) return false
  if (installDebian(`postgresql-${version}-pgvector`) && hasPgvector(folder)) return true
  return installDebian(`postgresql-server-dev-${version}`, 'gcc', 'libc6-dev', 'make') && compile(folder)
}

function compile(folder: string): boolean {
  const cwd = mkdtempSync(join(tmpdir(), 'nokosu-pgvector-'))
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const run = (...line: string[]) => spawnSync(line[0]!, line.slice(1), { cwd, stdio: 'ignore' }).status === 0
  const make = ['make', `PG_CONFIG=${join(folder, 'pg_config')}`, 'OPTFLAGS=']
  try {
    return (
      run('/usr/lib/apt/apt-helper', 'download-file', SOURCE.uri, 'source.tar.gz', SOURCE.hash) &&
      run('tar', 'xzf', 'source.tar.gz', '--strip-components=1') &&
      run(...make) &&
      run(...asRoot, ...make, 'install')
    )
  } finally {
    rmSync(cwd, { recursive: true })
  }
}
